//! Tests properties that the answers of the experiments don't show: both
//! versions of the service behave the same, and requests may arrive in
//! pieces.

use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use send_tax::listings::request::{local, owned, send};
use send_tax::listings::share_of_request::{json, log_line, tls};
use send_tax::listings::socket;
use send_tax::share_of_request::certificate;

const SEND: &str = include_str!("../../src/listings/request/send.rs");
const LOCAL: &str = include_str!("../../src/listings/request/local.rs");

/// The difference between the two versions of the service, as shown on the
/// page.
const DIFFERENCE: &str = include_str!("../../difference/send-to-local.diff");

#[test]
fn the_services_differ_in_what_send_demands_and_in_nothing_else() {
    let in_local = [
        ("may be served on any thread", "stay on one thread"),
        ("use std::sync::atomic::{AtomicU64, Ordering};\n", ""),
        ("use std::sync::{Arc, Mutex};", "use std::rc::Rc;"),
        ("AtomicU64", "Cell<u64>"),
        ("fetch_add(1, Ordering::Relaxed)", "set(self.requests.get() + 1)"),
        ("load(Ordering::Relaxed)", "get()"),
        ("Arc", "Rc"),
        ("Mutex", "RefCell"),
    ];
    let text = in_local.iter().fold(SEND.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is not in send.rs");
        text.replace(from, to)
    });
    let lock = ".lock().expect(\"no holder panics\")";
    let borrowed = text.lines().map(|line| {
        let changes = line.contains("let mut ");
        let borrow = if changes { ".borrow_mut()" } else { ".borrow()" };
        line.replace(lock, borrow)
    });
    let import = "use std::cell::{Cell, RefCell};";
    let expected: Vec<_> = borrowed.collect();
    let found = LOCAL.lines().filter(|line| *line != import);
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn the_difference_that_is_shown_is_all_there_is() {
    let marked = |mark| -> Vec<&str> {
        DIFFERENCE.lines().filter_map(|line| line.strip_prefix(mark)).collect()
    };
    let (gone, new) = (marked('-'), marked('+'));
    assert_eq!(without(SEND, &gone), without(LOCAL, &new));
}

/// Returns the lines of `text` without `lines`, which must occur in `text` in
/// this order.
fn without<'a>(text: &'a str, lines: &[&str]) -> Vec<&'a str> {
    let mut lines = lines.iter().peekable();
    let is_other = |line: &&str| lines.next_if(|left| *left == line).is_none();
    let others = text.lines().filter(is_other).collect();
    assert_eq!(lines.next(), None, "is in the difference only");
    others
}

#[test]
fn a_service_needs_no_good_manners() {
    let help = "add ITEM COUNT, or show ITEM\n";
    let requests = [
        ("add figs 2", "figs 2\n"),
        ("show figs", "figs 2\n"),
        ("  add\tfigs 3 \r\n", "figs 5\n"),
        ("show eggs", "eggs 0\n"),
        ("add figs 18446744073709551615", "figs 18446744073709551615\n"),
        ("add figs -1", help),
        ("add figs", help),
        ("add", help),
        ("show figs 1", help),
        ("eat figs", help),
        ("", help),
    ];
    let send = send::Shop::default();
    let local = local::Shop::default();
    let mut owned = owned::Basket::default();
    for (request, reply) in requests {
        assert_eq!(send.answer(1, request), reply, "{request:?}");
        assert_eq!(local.answer(1, request), reply, "{request:?}");
        assert_eq!(owned.answer(request), reply, "{request:?}");
    }
    send.answer(2, "add eggs 4");
    local.answer(2, "add eggs 4");
    for visitor in [1, 2] {
        assert_eq!((send.wanted("eggs"), local.wanted("eggs")), (4, 4));
        send.close(visitor);
        local.close(visitor);
    }
    assert_eq!((send.wanted("eggs"), local.wanted("eggs")), (0, 0));
    let all = requests.len() as u64;
    assert_eq!((send.requests(), local.requests()), (all + 1, all + 1));
    assert_eq!(owned.requests(), all);
}

#[test]
fn a_service_that_demands_send_may_move() {
    fn may_move(_: impl Send) {}
    may_move(std::sync::Arc::new(send::Shop::default()));
    may_move(owned::Basket::default());
}

/// Sends one request in pieces, then two at once, and returns the replies.
fn converse(mut connection: TcpStream) -> io::Result<String> {
    connection.set_nodelay(true)?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    for piece in ["o", "ne", "\n"] {
        connection.write_all(piece.as_bytes())?;
        thread::sleep(Duration::from_millis(5));
    }
    connection.write_all(b"two\nthree\nquit\n")?;
    let mut replies = String::new();
    connection.read_to_string(&mut replies)?;
    Ok(replies)
}

/// Checks that `serve` answers a client whose requests arrive in pieces.
fn is_served<Serving>(
    non_blocking: bool,
    serve: impl FnOnce(TcpStream) -> Serving,
    run: impl FnOnce(Serving) -> io::Result<()>,
) where
    Serving: Future<Output = io::Result<()>>,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (connection, _) = listener.accept().unwrap();
    connection.set_nonblocking(non_blocking).unwrap();
    let client = thread::spawn(move || converse(client));
    run(serve(connection)).unwrap();
    assert_eq!(client.join().unwrap().unwrap(), "<one><two><three>");
}

fn answer(request: &str) -> String {
    format!("<{}>", request.trim())
}

#[test]
fn tokio_answers_what_arrives_in_pieces() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_io().build().unwrap();
    let serve = |connection| async {
        let connection = tokio::net::TcpStream::from_std(connection)?;
        socket::tokio::serve(connection, answer).await
    };
    is_served(true, serve, |serving| runtime.block_on(serving));
}

#[test]
fn monoio_answers_what_arrives_in_pieces() {
    let builder = monoio::RuntimeBuilder::<monoio::LegacyDriver>::new();
    let mut runtime = builder.build().unwrap();
    let serve = |connection| async {
        let connection = monoio::net::TcpStream::from_std(connection)?;
        socket::monoio::serve(connection, answer).await
    };
    is_served(true, serve, |serving| runtime.block_on(serving));
}

#[test]
fn compio_answers_what_arrives_in_pieces() {
    let Ok(runtime) = compio::runtime::Runtime::new() else {
        return println!("compio cannot run here");
    };
    let serve = |connection| async {
        let connection = compio::net::TcpStream::from_std(connection)?;
        socket::compio::serve(connection, answer).await
    };
    is_served(false, serve, |serving| runtime.block_on(serving));
}

#[cfg(target_os = "linux")]
#[test]
fn glommio_answers_what_arrives_in_pieces() {
    let made = || {
        harness::room_for_ring()?;
        let made = glommio::LocalExecutorBuilder::default().make();
        made.map_err(|error| error.to_string())
    };
    let executor = match made() {
        Ok(executor) => executor,
        Err(reason) => return println!("glommio cannot run here: {reason}"),
    };
    let serve = |connection| async {
        let connection = socket2::Socket::from(connection);
        socket::glommio::serve(connection.into(), answer).await
    };
    is_served(false, serve, |serving| executor.run(serving));
}

#[test]
fn a_record_holds_what_was_sent() {
    let (client, server) = certificate::configurations().unwrap();
    let mut connection = tls::Connection::open(&client, &server).unwrap();
    for length in [1, 1_024, 16_384] {
        let message: Vec<u8> = (0..=255).cycle().take(length).collect();
        let mut received = vec![0; length];
        connection.send(&message, &mut received).unwrap();
        assert_eq!(received, message);
    }
    let version = connection.server.protocol_version();
    assert_eq!(version, Some(rustls::ProtocolVersion::TLSv1_3));
}

#[test]
fn an_order_is_parsed_and_a_line_says_when() {
    let text = br#"{"visitor": 7, "address": "B\u00e4r", "express": true,
        "items": [{"name": "figs", "count": 2, "price": 0.5, "note": null}]}"#;
    let order = json::parse(text).unwrap();
    let address = order.address.as_str();
    assert_eq!((order.visitor, address, order.express), (7, "B\u{e4}r", true));
    let item = &order.items[0];
    assert_eq!((item.name.as_str(), item.count, item.price), ("figs", 2, 0.5));
    assert!(json::parse(b"{}").is_err());

    let mut log = Vec::new();
    log_line::log(&mut log, 7, "order", 9).unwrap();
    let line = String::from_utf8(log).unwrap();
    let (time, rest) = line.split_once(' ').unwrap();
    assert_eq!(rest, "INFO 7 \"order\" 200 9\n");
    humantime::parse_rfc3339(time).unwrap();
}
