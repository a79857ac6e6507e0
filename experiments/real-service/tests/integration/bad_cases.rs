//! Tests failures: nothing hangs, and no order that was answered with HTTP
//! status 201 is lost.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path as File;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use real_service::database::{self, Database};
use real_service::load::{run, Client, Load, Outcome, Pace, Request};
use real_service::path::Path;
use real_service::server_process::Server;
use real_service::servers::{Arm, Local, ToServe};
use real_service::store::{AskedBy, Keep};

const PROGRAM: &str = env!("CARGO_BIN_EXE_real-service");

const WITH_DATABASE: [Arm; 9] = [
    Arm::Tokio,
    Arm::TokioAtOnce,
    Arm::TokioPerCore,
    Arm::BlockingInTask,
    Arm::SpawnBlocking,
    Arm::Threads(AskedBy::Ours),
    Arm::Threads(AskedBy::OursPipelined),
    Arm::Threads(AskedBy::OursAtOnce),
    Arm::Threads(AskedBy::Postgres),
];

/// The kinds of servers that store orders in memory: one for each way of
/// reading requests.
const WITH_MAP: [Arm; 7] = [
    Arm::Tokio,
    Arm::Threads(AskedBy::Ours),
    Arm::PerCore(Local::Tokio),
    Arm::PerCore(Local::MonoioEpoll),
    Arm::PerCore(Local::MonoioRing),
    Arm::PerCore(Local::Glommio),
    Arm::PerCore(Local::Compio),
];

/// Starts a server that stores orders in memory. Fails if the server's
/// runtime cannot run here.
fn with_map(arm: Arm, port: u16) -> Result<Server, String> {
    let keep = Keep::InMemory;
    let what = ToServe { arm, keep, tls: false, port };
    Server::start(File::new(PROGRAM), what)
}

fn with_database(
    arm: Arm,
    database: &Database,
    pool: usize,
    patience: Duration,
) -> Server {
    let directory = database.directory().to_owned();
    let keep = Keep::InDatabase { directory, pool, patience };
    let what = ToServe { arm, keep, tls: false, port: 0 };
    Server::start(File::new(PROGRAM), what).unwrap()
}

/// Creates a database for the test. Returns `None` if PostgreSQL is not
/// installed.
fn database() -> Option<Database> {
    if let Err(reason) = database::is_installed() {
        println!("cannot run here: {reason}");
        return None;
    }
    Some(Database::make().unwrap())
}

fn with_body(path: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

fn status(server: &Server, request: &[u8]) -> u16 {
    let mut client = Client::connect(server.address(), false).unwrap();
    client.ask(request).unwrap().status
}

#[test]
fn what_is_no_order_is_refused_and_the_next_is_taken() {
    for arm in WITH_MAP {
        let server = match with_map(arm, 0) {
            Ok(server) => server,
            Err(reason) if matches!(arm, Arm::PerCore(_)) => {
                println!("cannot run here: {arm:?}: {reason}");
                continue;
            }
            Err(reason) => panic!("{arm:?}: {reason}"),
        };
        let right = Request::new(Path::Orders, 7).another().to_vec();
        let text = String::from_utf8(right.clone()).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let changed = |from: &str, to: &str| {
            assert!(body.contains(from), "{from}");
            with_body("/orders", body.replacen(from, to, 1).as_bytes())
        };
        let long = vec![b' '; 20_000];
        for (request, expected) in [
            (with_body("/orders", b""), 400),
            (with_body("/orders", b"no JSON"), 400),
            (with_body("/orders", b"{\"token\":\"\xff\"}"), 400),
            (with_body("/orders", b"[]"), 400),
            (with_body("/orders", &body.as_bytes()[..500]), 400),
            (changed("\"quantity\":9", "\"quantity\":0"), 422),
            (changed("ada@example.org", "nobody"), 422),
            (changed("\"product\":1008", "\"product\":2008"), 404),
            (with_body("/nothing", body.as_bytes()), 404),
            (with_body("/orders", &long), 413),
            (right, 201),
        ] {
            assert_eq!(status(&server, &request), expected, "{arm:?}");
        }
        // A client that sends half of a request, and then disconnects.
        let mut half = TcpStream::connect(server.address()).unwrap();
        half.write_all(b"POST /orders HTTP/1.1\r\ncontent-le").unwrap();
        drop(half);
        let mut server = server;
        assert_eq!(server.usage().unwrap().1, 1, "{arm:?}");
    }
}

#[test]
fn a_client_that_stops_reading_keeps_nobody_else_waiting() {
    for arm in [Arm::Tokio, Arm::Threads(AskedBy::Ours)] {
        let server = with_map(arm, 0).unwrap();
        let mut deaf = TcpStream::connect(server.address()).unwrap();
        deaf.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut request = Request::new(Path::Orders, 0);
        // The client never reads answers. The loop ends when the server stops
        // accepting requests.
        while deaf.write_all(request.another()).is_ok() {}
        let right = Request::new(Path::Orders, 1 << 40).another().to_vec();
        assert_eq!(status(&server, &right), 201, "{arm:?}");
    }
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    for arm in [Arm::Tokio, Arm::TokioPerCore, Arm::Threads(AskedBy::Ours)] {
        let reason = with_map(arm, port).err().unwrap();
        assert!(reason.contains(&format!("port {port}: ")), "{reason}");
    }
}

fn load(server: &Server, path: Path, connections: usize) -> Load {
    Load {
        address: server.address(),
        tls: false,
        path,
        connections,
        pace: Pace::Closed,
        slow: 0,
        lead_in: Duration::ZERO,
        window: Duration::from_millis(300),
    }
}

/// Repeats a request until the answer has the HTTP status `expected`.
fn until(server: &Server, expected: u16, token: u64) {
    let until = Instant::now() + Duration::from_secs(20);
    let mut request = Request::new(Path::Orders, token);
    loop {
        let found = status(server, request.another());
        if found == expected {
            return;
        }
        assert!(Instant::now() < until, "{found} in place of {expected}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn where_the_database_is_gone_each_arm_says_so_and_comes_back() {
    let Some(mut database) = database() else { return };
    let mut before = 0;
    for arm in WITH_DATABASE {
        let patience = Duration::from_millis(500);
        let server = with_database(arm, &database, 4, patience);
        let load = Load {
            window: Duration::from_millis(600),
            ..load(&server, Path::Orders, 8)
        };
        let outcome = scope(|scope| {
            let asked = scope.spawn(|| run(&load, || ()));
            sleep(Duration::from_millis(200));
            database.stop().unwrap();
            sleep(Duration::from_millis(100));
            until(&server, 503, 1 << 50);
            database.start(false).unwrap();
            until(&server, 201, 1 << 51);
            asked.join().unwrap()
        });
        let Outcome { statuses, created, errors, why, .. } = outcome;
        assert_eq!((errors, why), (0, None), "{arm:?}: {statuses:?}");
        let kinds: Vec<u16> = statuses.keys().copied().collect();
        assert_eq!(kinds, [201, 503], "{arm:?}: {statuses:?}");
        // More orders may be stored than were confirmed: if the connection
        // broke during a commit, nobody knows whether the order was stored.
        let kept = database.orders().unwrap();
        assert!(kept >= before + created, "{arm:?}: {kept} of {created}");
        before = kept;
    }
}

#[test]
fn where_no_connection_is_free_it_says_so_and_loses_nothing() {
    let Some(database) = database() else { return };
    let mut before = 0;
    for arm in WITH_DATABASE {
        // There is only one connection. Requests give up waiting for it
        // before a slow query ends.
        let patience = Duration::from_millis(5);
        let server = with_database(arm, &database, 1, patience);
        let outcome = run(&load(&server, Path::SlowOrders, 8), || ());
        let Outcome { statuses, created, errors, .. } = outcome;
        assert_eq!(errors, 0, "{arm:?}");
        let kinds: Vec<u16> = statuses.keys().copied().collect();
        // If workers are blocked, few requests run at a time, and possibly
        // none has to wait for a connection.
        assert!(kinds == [201, 503] || kinds == [201], "{arm:?}: {statuses:?}");
        let kept = database.orders().unwrap();
        assert_eq!(kept, before + created, "{arm:?}");
        before = kept;
    }
}

#[test]
fn the_crate_postgres_panics_inside_a_task() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let panic = runtime.block_on(async {
        tokio::spawn(async {
            let connected = catch_unwind(AssertUnwindSafe(|| {
                let mut config = postgres::Config::new();
                config.host_path("/nowhere").user("nobody");
                config.connect(postgres::NoTls).map(drop)
            }));
            connected.err().and_then(|panic| {
                panic
                    .downcast_ref::<&str>()
                    .map(ToString::to_string)
                    .or_else(|| panic.downcast_ref::<String>().cloned())
            })
        })
        .await
        .unwrap()
    });
    let words = "Cannot start a runtime from within a runtime";
    assert!(panic.as_ref().is_some_and(|it| it.contains(words)), "{panic:?}");
}

#[test]
fn a_database_ends_with_its_owner_and_leaves_nothing() {
    let Some(database) = database() else { return };
    let directory = database.directory().to_owned();
    let file = directory.join("data/postmaster.pid");
    let file = std::fs::read_to_string(file).unwrap();
    let process = File::new("/proc").join(file.lines().next().unwrap());
    assert!(process.exists());
    drop(database);
    assert!(!process.exists() && !directory.exists());
}
