//! Experiment `request`: what the types that `Send` demands cost in a small
//! service that is complete and idiomatic.
//!
//! The service is written twice, in files that differ only in what `Send`
//! demands. A request takes one atomic addition, two uncontended locks, and
//! one `Arc` that is cloned and dropped, or their equivalents for tasks that
//! stay on their thread. There is one connection, so nothing contends.
//!
//! In memory, the requests are in a string, and are served in a task without
//! an await. By socket, a thread with blocking calls sends requests over TCP
//! on 127.0.0.1, without delay (`TCP_NODELAY`), and waits for each reply.
//! This thread's clock measures the time; the thread shares the cores, or the
//! core, with the service.

use std::hint::black_box;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{tokio_started_on, Body, Cell, Counter, Experiment, Placement};
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::tokio::{CURRENT_THREAD, LOCAL_SET, MULTI_THREAD};
use runtimes::{LocalRuntime, Runtime};

use crate::listings::request::{local, owned, send};

mod client;
pub(crate) mod conversation;
pub mod socket;

use conversation::Conversation;

/// The number of requests per operation of the benchmark, in memory and over
/// a socket.
const IN_MEMORY: u64 = 1_000;
const BY_SOCKET: u64 = 200;

pub(crate) const VISITOR: u64 = 1;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("request", "time per request", MULTI_THREAD.name())
        .counting(&[Counter::Allocations, Counter::Bytes])
        .cells(in_memory_cells())
        .cells(socket_cells(Placement::OneCore))
        .cells(socket_cells(Placement::AllCores))
}

/// Returns an operation that opens a shop, serves `$requests` requests with
/// `$serve`, and checks that the shop has counted all of them.
macro_rules! service {
    ($requests:expr, $types:ident, $pointer:ident, $serve:expr) => {{
        let conversation = Arc::new(Conversation::of($requests));
        move || {
            let conversation = Arc::clone(&conversation);
            async move {
                // Prevents the compiler from seeing that the shop has no
                // other owners.
                let shop = $pointer::new($types::Shop::default());
                let shop = std::hint::black_box(shop);
                let of_connection = $pointer::clone(&shop);
                let answer = move |request: &str| {
                    of_connection.answer($crate::request::VISITOR, request)
                };
                let outcome = $serve(Arc::clone(&conversation), answer).await;
                let outcome = outcome.expect("the client is served");
                let wanted = |item: &str| shop.wanted(item);
                conversation.checked(outcome, shop.requests(), wanted)
            }
        }
    }};
}
pub(crate) use service;

/// Serves all requests of `conversation` in memory. Returns the elapsed time
/// and the number of correct replies.
pub(crate) async fn in_memory(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<(Duration, u64)> {
    let start = Instant::now();
    let replies = serve_in_memory(&conversation.requests, answer);
    Ok((start.elapsed(), conversation.right(&replies)))
}

/// Answers the requests, one per line, and returns the replies as one string.
/// It stands in for a connection without a socket: the requests are already
/// in memory, and the replies stay there.
pub fn serve_in_memory(
    requests: &str,
    answer: impl FnMut(&str) -> String,
) -> String {
    let mut replies = String::with_capacity(requests.len());
    requests.lines().map(answer).for_each(|reply| replies.push_str(&reply));
    replies
}

/// Serves all requests of `conversation` in memory, from a basket that only
/// this connection uses.
async fn in_own_memory(conversation: Arc<Conversation>) -> (Duration, u64) {
    let mut basket = black_box(owned::Basket::default());
    let answer = |request: &str| basket.answer(request);
    let outcome = in_memory(Arc::clone(&conversation), answer).await;
    let outcome = outcome.expect("memory can be read");
    let wanted = |item: &str| basket.count(item);
    conversation.checked(outcome, basket.requests(), wanted)
}

fn cell(
    contender: &str,
    kernel: &str,
    types: &str,
    requests: u64,
    body: Body,
) -> Cell {
    Cell::new(contender, requests, body)
        .per(requests)
        .parameter("kernel", kernel)
        .parameter("types", types)
}

fn in_memory_cells() -> Vec<Cell> {
    let cell = |contender, types, body| {
        cell(contender, "in memory", types, IN_MEMORY, body)
            .placement(Placement::AllCores)
    };
    let send = |runtime: Runtime| {
        let operation = service!(IN_MEMORY, send, Arc, in_memory);
        cell(runtime.name(), "Send", Body::task(runtime, operation))
    };
    let local = |runtime: LocalRuntime| {
        let operation = service!(IN_MEMORY, local, Rc, in_memory);
        cell(runtime.name(), "local", Body::task(runtime, operation))
    };
    let send_on_set = service!(IN_MEMORY, send, Arc, in_memory);
    let send_on_set = Body::task(LOCAL_SET, send_on_set);
    let conversation = Arc::new(Conversation::of(IN_MEMORY));
    let own = move || in_own_memory(Arc::clone(&conversation));
    // These contenders are measured only to show that code without an await
    // costs the same on every runtime.
    let only_shown = |cell: Cell| cell.in_sweep().full_only();
    vec![
        send(MULTI_THREAD),
        only_shown(send(CURRENT_THREAD)),
        cell(LOCAL_SET.name(), "Send", send_on_set),
        local(LOCAL_SET),
        cell(MULTI_THREAD.name(), "owned", Body::task(MULTI_THREAD, own)),
        only_shown(local(EPOLL)),
        only_shown(local(IO_URING)),
        only_shown(local(GLOMMIO)),
        only_shown(local(COMPIO)),
    ]
}

fn socket_cells(placement: Placement) -> Vec<Cell> {
    macro_rules! cell {
        ($runtime:expr, $types:ident, $pointer:ident, $named:expr, $serve:path) => {{
            let operation = service!(BY_SOCKET, $types, $pointer, $serve);
            let body = Body::task($runtime, operation);
            cell($runtime.name(), "socket", $named, BY_SOCKET, body)
                .placement(placement)
        }};
    }
    macro_rules! send {
        ($runtime:expr) => {
            cell!($runtime, send, Arc, "Send", socket::on_tokio)
        };
    }
    macro_rules! local {
        ($runtime:expr, $serve:path) => {
            cell!($runtime, local, Rc, "local", $serve)
        };
    }
    #[cfg(target_os = "linux")]
    let glommio = local!(GLOMMIO, socket::on_glommio);
    // On systems other than Linux, starting Glommio reports that it can't
    // run.
    #[cfg(not(target_os = "linux"))]
    let glommio = local!(GLOMMIO, in_memory);
    let of_tokio = [
        send!(tokio_started_on(placement)),
        send!(LOCAL_SET),
        local!(LOCAL_SET, socket::on_tokio),
    ];
    let of_others = [
        send!(CURRENT_THREAD).full_only(),
        local!(EPOLL, socket::on_monoio_epoll),
        local!(IO_URING, socket::on_monoio_io_uring),
        glommio,
        local!(COMPIO, socket::on_compio).full_only(),
    ];
    let cells = of_tokio.into_iter();
    let cells = cells.chain(of_others.into_iter().map(Cell::in_sweep));
    // On one core, the result is the service's own cost; on all cores, it
    // includes the cost of waking another core.
    match placement {
        Placement::AllCores => {
            cells.map(|cell| cell.in_sweep().full_only()).collect()
        }
        _ => cells.collect(),
    }
}
