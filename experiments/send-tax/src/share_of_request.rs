//! Experiment `share-of-request`: compares the cost of the types that `Send`
//! demands, of a switch, of a spawn and of a wake-up with the cost of the
//! other work of a request.
//!
//! An operation of `Send types` and `local types` is what a request of the
//! experiment `request` does with those types: an atomic addition, two
//! uncontended locks, an `Arc` cloned and dropped, or their equivalents.
//! `Send request` and `local request` are the whole service, in memory and on
//! one executor, with additional work; `Send whole request` and `local whole
//! request` put it behind TLS, a hash, JSON, and a log. A switch is half a
//! round in which two units take turns.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{pin_this_thread, Body, Cell, Experiment, Placement};
use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET, MULTI_THREAD};

use crate::listings::request::{local, send};
use crate::listings::share_of_request::{
    hash, json, local_types, log_line, send_types, task_switch, thread_switch,
    tls,
};
use crate::request::conversation::Conversation;
use crate::request::{self, service};

pub mod certificate;
mod whole;

/// The work per request in addition to the service's own, and whether a quick
/// run includes it.
const WORK: [(Duration, bool); 5] = [
    (Duration::ZERO, true),
    (Duration::from_nanos(100), false),
    (Duration::from_micros(1), true),
    (Duration::from_micros(10), false),
    (Duration::from_micros(100), true),
];

/// The approximate duration of one operation of the benchmark in which the
/// service does additional work.
const OPERATION: Duration = Duration::from_millis(2);

/// The lengths of message bodies and TLS records in bytes: a short one, and
/// the maximum of a record.
const SHORT: usize = 1_024;
const LONG: usize = 16_384;

/// How many times one operation of the benchmark repeats short work, longer
/// work, and the creation of a thread.
const TIMES: u64 = 1_000;
const FEW: u64 = 100;
const THREADS: u64 = 20;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("share-of-request", "time per operation", "Send types")
        .cells(types())
        .cells(concurrency())
        .cells(anything_else())
        .cells(whole_requests())
        .cells(WORK.into_iter().flat_map(with_work))
}

fn cell(
    contender: &str,
    message_bytes: usize,
    per: u64,
    answer: u64,
    body: Body,
) -> Cell {
    Cell::new(contender, answer, body)
        .per(per)
        .parameter("message_bytes", message_bytes as i64)
        .parameter("work_ns", 0)
}

fn everywhere(cell: Cell) -> Cell {
    cell.placement(Placement::AllCores)
}

/// Creates a benchmark in which `$types::Skeleton` handles requests, each
/// with `$work` of additional work. The result is the number of requests
/// counted.
macro_rules! skeleton {
    ($types:ident, $work:expr) => {
        Body::here(move || {
            let rounds = rounds_in($work);
            move || {
                let skeleton = $types::Skeleton::default();
                let request = |_| {
                    if rounds > 0 {
                        work(rounds);
                    }
                    black_box(&skeleton).request()
                };
                (0..TIMES).map(request).max().unwrap_or_default()
            }
        })
    };
}

/// Measures the types alone, and the types together with arithmetic that the
/// core can do at the same time. The difference shows whether the types keep
/// the core busy or make it wait.
fn types() -> [Cell; 4] {
    let cell = |contender, work: Duration, body| {
        everywhere(cell(contender, 0, TIMES, TIMES, body))
            .parameter("work_ns", work.as_nanos() as i64)
    };
    let (none, some) = (Duration::ZERO, Duration::from_nanos(100));
    [
        cell("Send types", none, skeleton!(send_types, none)),
        cell("local types", none, skeleton!(local_types, none)),
        cell("Send types", some, skeleton!(send_types, some)).in_sweep(),
        cell("local types", some, skeleton!(local_types, some)).in_sweep(),
    ]
}

fn concurrency() -> [Cell; 5] {
    let cell =
        |contender, per, answer, body| cell(contender, 0, per, answer, body);
    let tasks = Body::task(CURRENT_THREAD, || task_switch::take_turns(FEW));
    let threads = Body::here(|| || thread_switch::take_turns(FEW, |_| ()));
    let neighbours = Body::here(|| || thread_switch::take_turns(FEW, pin));
    let spawn_tasks = Body::task(MULTI_THREAD, || async {
        let spawn = |id| tokio::spawn(async move { id });
        let tasks: Vec<_> = (0..FEW).map(spawn).collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await.expect("the task returns its id");
        }
        sum
    });
    let spawn_threads = Body::here(|| {
        || {
            let spawn = |id| std::thread::spawn(move || id);
            let threads: Vec<_> = (0..THREADS).map(spawn).collect();
            let ids = threads.into_iter().map(|thread| thread.join());
            ids.map(|id| id.expect("the thread returns its id")).sum::<u64>()
        }
    });
    [
        cell("task switch", 2 * FEW, FEW, tasks).placement(Placement::OneCore),
        cell("thread switch", 2 * FEW, FEW, threads)
            .placement(Placement::OneCore)
            .in_sweep(),
        cell("wake-up", 2 * FEW, FEW, neighbours)
            .placement(Placement::Neighbours)
            .needs(can_pin)
            .in_sweep(),
        everywhere(cell("task spawn", FEW, sum_of_ids(FEW), spawn_tasks))
            .in_sweep(),
        everywhere(cell(
            "thread spawn",
            THREADS,
            sum_of_ids(THREADS),
            spawn_threads,
        ))
        .in_sweep(),
    ]
}

fn pin(place: usize) {
    pin_this_thread(place).expect("it was asked whether threads can be pinned");
}

/// Checks that threads can be pinned to cores, in a temporary thread so that
/// the caller stays unpinned.
fn can_pin() -> Result<(), String> {
    let asking = std::thread::spawn(|| pin_this_thread(0));
    asking.join().expect("asking does not panic")
}

fn sum_of_ids(units: u64) -> u64 {
    units * (units - 1) / 2
}

/// Measures other work of a request that doesn't depend on the runtime, such
/// as TLS and JSON.
fn anything_else() -> [Cell; 6] {
    let record = |bytes: usize| {
        let body = Body::here(move || {
            let mut connection = connection();
            let message = vec![7; bytes];
            let mut received = vec![0; bytes];
            move || {
                let sent = connection.send(&message, &mut received);
                sent.map_or(0, |()| received.len() as u64)
            }
        });
        cell("rustls record", bytes, 1, bytes as u64, body)
    };
    let parse = Body::here(|| {
        let body = body();
        move || {
            let order = json::parse(black_box(&body));
            order.map_or(0, |order| total(&order))
        }
    });
    let handshake = Body::here(|| {
        let (client, server) = configurations();
        move || match tls::Connection::open(&client, &server) {
            Ok(connection) => {
                let kind = connection.client.handshake_kind();
                u64::from(kind == Some(rustls::HandshakeKind::Full))
            }
            Err(_) => 0,
        }
    });
    let hash = Body::here(|| {
        let body = body();
        move || first_bytes(hash::hash(black_box(&body)))
    });
    let log = Body::here(|| {
        let mut log = Vec::new();
        move || {
            log.clear();
            for visitor in 0..FEW {
                let visitor = visitor % 10;
                let line = log_line::log(&mut log, visitor, "order", 9);
                line.expect("memory can be written");
            }
            log.len() as u64
        }
    });
    let parsed = total(&order());
    let hashed = first_bytes(hash::hash(&body()));
    [
        cell("serde_json parse", SHORT, 1, parsed, parse),
        record(SHORT),
        record(LONG),
        cell("rustls handshake", 0, 1, 1, handshake),
        cell("hash", SHORT, 1, hashed, hash),
        cell("log line", 0, FEW, FEW * LOG_LINE.len() as u64, log),
    ]
    .map(everywhere)
    .map(Cell::in_sweep)
}

/// A sample log line. All log lines have the same length.
const LOG_LINE: &str = "2026-11-30T10:12:00.000000Z INFO 7 \"order\" 200 9\n";

fn whole_requests() -> [Cell; 2] {
    macro_rules! whole {
        ($contender:expr, $types:ident, $pointer:ident) => {{
            let server = Arc::new(Mutex::new(None));
            let operation = move || {
                let server = Arc::clone(&server);
                async move {
                    let shop = $pointer::new($types::Shop::default());
                    let shop = black_box(shop);
                    let answer = |order: &json::Order| {
                        let item = &order.items[0];
                        let (name, count) = (&item.name, item.count);
                        let request = format!("add {name} {count}");
                        shop.answer(order.visitor, &request)
                    };
                    let mut server = server.lock().expect("no holder panics");
                    let server = server.get_or_insert_with(whole_server);
                    let is_right = |place: usize, text: &str| {
                        let item = &order().items[0];
                        let count = item.count * (place as u64 + 1);
                        text == format!("{} {count}\n", item.name)
                    };
                    let (server, body) = server;
                    let served = server.serve(body, answer, is_right);
                    served.expect("memory can be read and written")
                }
            };
            let body = Body::task(LOCAL_SET, operation);
            everywhere(cell($contender, SHORT, FEW, FEW, body))
        }};
    }
    let local = whole!("local whole request", local, Rc);
    let send = whole!("Send whole request", send, Arc);
    [send, local]
}

/// Returns a server whose TLS handshake is complete, and the body to send to
/// it.
fn whole_server() -> (whole::TlsServer, Vec<u8>) {
    (whole::TlsServer::new(connection(), FEW as usize), body())
}

/// Measures the service in memory, with `time` of additional work per
/// request.
fn with_work((time, in_quick): (Duration, bool)) -> [Cell; 2] {
    let request = time + Duration::from_nanos(200);
    let requests = OPERATION.as_nanos() / request.as_nanos();
    let requests = requests.clamp(20, TIMES.into()) as u64;
    let serve = move |conversation: Arc<Conversation>, answer| {
        request::in_memory(conversation, with_rounds(time, answer))
    };
    let local = service!(requests, local, Rc, serve);
    let serve = move |conversation: Arc<Conversation>, answer| {
        request::in_memory(conversation, with_rounds(time, answer))
    };
    let send = service!(requests, send, Arc, serve);
    let cell = |contender, body| {
        let cell = cell(contender, 0, requests, requests, body);
        let cell = everywhere(cell)
            .parameter("work_ns", time.as_nanos() as i64)
            .in_sweep();
        if in_quick {
            cell
        } else {
            cell.full_only()
        }
    };
    let local = cell("local request", Body::task(LOCAL_SET, local));
    let send = cell("Send request", Body::task(LOCAL_SET, send));
    [send, local]
}

fn with_rounds(
    time: Duration,
    mut answer: impl FnMut(&str) -> String,
) -> impl FnMut(&str) -> String {
    let rounds = rounds_in(time);
    move |request| {
        work(rounds);
        answer(request)
    }
}

fn configurations() -> (Arc<rustls::ClientConfig>, Arc<rustls::ServerConfig>) {
    certificate::configurations().expect("the certificate is valid")
}

fn connection() -> tls::Connection {
    let (client, server) = configurations();
    tls::Connection::open(&client, &server).expect("hands are shaken")
}

/// Returns the order as JSON, padded to `SHORT` bytes.
fn body() -> Vec<u8> {
    serde_json::to_vec(&order()).expect("an order has a JSON form")
}

fn order() -> json::Order {
    let items = (0..10).map(|n| json::Item {
        name: format!("item-{n}"),
        count: n % 3 + 1,
        price: n as f64 * 1.25 + 0.99,
        note: (n % 2 == 0).then(|| "as \"fresh\" as can be".to_owned()),
    });
    let mut order = json::Order {
        visitor: request::VISITOR,
        address: String::new(),
        express: true,
        items: items.collect(),
    };
    let length = serde_json::to_vec(&order).map_or(0, |body| body.len());
    order.address = "A".repeat(SHORT - length);
    order
}

fn total(order: &json::Order) -> u64 {
    order.items.iter().map(|item| item.count).sum()
}

fn first_bytes(hash: [u8; 32]) -> u64 {
    hash.iter().take(8).fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}
