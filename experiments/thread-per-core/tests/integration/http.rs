//! Tests every HTTP server in a separate process. It must answer requests in
//! whatever pieces they arrive, and close a connection on an invalid request.
//! The load generator has to detect wrong answers.
#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use thread_per_core::load::{run, End, Settings};
use thread_per_core::serve::{find, http_servers, Running, Server};
use thread_per_core::ApplicationProtocol;

use crate::common::processes::{as_it_is, connect, each_of};

const REQUEST: &str = "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";

/// A request after which the server closes the connection.
const LAST: &str =
    "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n";

fn each(test: impl Fn(&mut Running) -> Result<(), String>) {
    each_of(http_servers(), as_it_is, |_, mut running| test(&mut running));
}

/// Sends `pieces`, with a pause before each that most likely lets the server
/// read the previous one. Returns everything that comes back until the server
/// closes the connection.
fn sent<Piece: AsRef<[u8]>>(
    address: SocketAddr,
    pieces: impl IntoIterator<Item = Piece>,
) -> Result<String, String> {
    let mut client = connect(address)?;
    for piece in pieces {
        client
            .write_all(piece.as_ref())
            .map_err(|error| format!("sending: {error}"))?;
        thread::sleep(Duration::from_millis(2));
    }
    let mut got = Vec::new();
    match client.read_to_end(&mut got) {
        Ok(_) => {}
        // If a server closes before it has read everything, the kernel resets
        // the connection.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => return Err(format!("reading: {error}")),
    }
    Ok(String::from_utf8(got).expect("answers are text"))
}

/// Checks that `answers` contains `many` right answers and nothing else.
/// Their heads may have additional fields.
fn are_right(answers: &str, many: usize) -> Result<(), String> {
    if answers.is_empty() {
        return Err("the connection closed without an answer".to_owned());
    }
    let mut rest = answers;
    for _ in 0..many {
        let (head, body) = rest.split_once("\r\n\r\n").ok_or(answers)?;
        let has_length = head
            .lines()
            .any(|line| line.eq_ignore_ascii_case("content-length: 13"));
        if !head.starts_with("HTTP/1.1 200 OK\r\n") || !has_length {
            return Err(head.to_owned());
        }
        rest = body.strip_prefix("Hello, world!").ok_or(answers)?;
    }
    rest.is_empty().then_some(()).ok_or_else(|| answers.to_owned())
}

#[test]
fn requests_are_answered_however_they_are_split() {
    let all = REQUEST.repeat(3) + LAST;
    each(|running| {
        for piece in [1, 7, REQUEST.len(), REQUEST.len() + 1, all.len()] {
            let pieces = all.as_bytes().chunks(piece);
            are_right(&sent(running.address(), pieces)?, 4)?;
        }
        Ok(())
    });
}

#[test]
fn many_requests_at_once_get_as_many_answers() {
    // All these requests together don't fit into a server's buffer.
    let all = REQUEST.repeat(2_000) + LAST;
    each(|running| {
        let mut client = connect(running.address())?;
        let mut sending = client.try_clone().unwrap();
        let got = thread::scope(|scope| {
            scope.spawn(|| sending.write_all(all.as_bytes()));
            let mut got = String::new();
            let read = client.read_to_string(&mut got);
            read.map_err(|error| error.to_string()).map(|_| got)
        })?;
        are_right(&got, 2_001)
    });
}

#[test]
fn a_connection_is_closed_when_the_client_wants_that() {
    each(|running| {
        let address = running.address();
        are_right(&sent(address, [LAST])?, 1)?;
        let before_keep_alive = "GET / HTTP/1.0\r\n\r\n";
        let got = sent(address, [before_keep_alive])?;
        // Hyper answers with the HTTP version of the request.
        are_right(&got.replacen("HTTP/1.0", "HTTP/1.1", 1), 1)?;
        Ok(())
    });
}

#[test]
fn a_client_that_has_closed_its_half_is_answered() {
    each_of(http_servers(), as_it_is, |server, running| {
        let mut client = connect(running.address())?;
        client.write_all(REQUEST.as_bytes()).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut got = String::new();
        client.read_to_string(&mut got).map_err(|error| error.to_string())?;
        // Hyper answers only if it reads the request before it sees that the
        // client has closed, unless its option `half_close` is set.
        if got.is_empty() && server.name().contains("hyper") {
            return Ok(());
        }
        are_right(&got, 1)
    });
}

#[test]
fn what_is_no_request_gets_400_and_the_end() {
    each(|running| {
        for bad in
            ["no request at all\r\n\r\n", "GET / HTTP/1.1\r\n: no\r\n\r\n"]
        {
            let got = sent(running.address(), [bad])?;
            let is_refused = got.starts_with("HTTP/1.1 400 Bad Request\r\n")
                && got.ends_with("\r\n\r\n");
            if !is_refused {
                return Err(format!("to {bad:?}: {got:?}"));
            }
        }
        // The valid request is answered, although the next one is invalid.
        let got = sent(running.address(), [REQUEST, "no request\r\n\r\n"])?;
        let (first, second) = got.split_once("Hello, world!").ok_or("none")?;
        are_right(&format!("{first}Hello, world!"), 1)?;
        second
            .starts_with("HTTP/1.1 400 ")
            .then_some(())
            .ok_or_else(|| format!("then {second:?}"))
    });
}

#[test]
fn a_head_without_an_end_costs_no_memory() {
    each(|running| {
        let mut client = connect(running.address())?;
        let start = b"GET / HTTP/1.1\r\nHost: ";
        client.write_all(start).unwrap();
        let block = [b'a'; 64 * 1024];
        let is_cut_off = (0..1_024).any(|_| client.write_all(&block).is_err());
        if !is_cut_off {
            return Err("it took 64 MiB of a head".to_owned());
        }
        // After that, a new connection is still served.
        are_right(&sent(running.address(), [LAST])?, 1)
    });
}

/// Returns settings for an HTTP load with 8 connections, and with enough
/// requests for a test.
fn load(address: SocketAddr) -> Settings {
    Settings {
        connections: 8,
        protocol: ApplicationProtocol::Http,
        lead_in: Duration::ZERO,
        end: End::Requests(400),
        ..Settings::of(address)
    }
}

#[test]
fn the_load_gets_right_answers_from_every_server() {
    each(|running| {
        for pipeline in [1, 16] {
            let settings = Settings { pipeline, ..load(running.address()) };
            let report = run(&settings).map_err(|error| error.to_string())?;
            let failed = report.errors + report.unanswered;
            if report.answered < 400 || failed > 0 {
                return Err(format!("{report:?}"));
            }
        }
        Ok(())
    });
}

fn answers(answer: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(1..) = stream.read(&mut buffer) {
                    // Writing fails after the load has ended. Then this
                    // thread ends as well.
                    drop(stream.write_all(answer.as_bytes()));
                }
            });
        }
    });
    address
}

#[test]
fn the_load_counts_wrong_answers_and_breaks_off_what_it_cannot_understand() {
    let right = "HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\nHello, world!";
    let settings = |answer: String| Settings {
        end: End::After(Duration::from_millis(100)),
        ..load(answers(answer))
    };
    let report = run(&settings(right.replace("200", "404"))).unwrap();
    assert!(report.wrong > 0, "{report:?}");
    assert_eq!((report.answered, report.lost), (0, 0), "{report:?}");

    for (answer, reason) in [
        (right.replace("length", "size"), "length"),
        (right.repeat(2), "nobody asked for"),
        ("220 welcome\r\n".to_owned(), "understood"),
    ] {
        let report = run(&settings(answer)).unwrap();
        assert_eq!(report.connections.broken, 8, "{report:?}");
        let why = report.connections.reason.unwrap();
        assert!(why.contains(reason), "{why}");
    }
}

#[test]
fn names_begin_with_the_protocol() {
    let mut names: Vec<String> =
        http_servers().iter().map(Server::name).collect();
    for name in &names {
        assert!(name.starts_with("http "), "{name}");
        assert_eq!(find(name).unwrap().name(), *name);
    }
    let found = |words| find(words).unwrap().name();
    assert_eq!(found("http tokio"), "http tokio multi-thread");
    assert_eq!(found("http hyper"), "http tokio multi-thread, hyper");
    assert_eq!(found("tokio"), "tokio multi-thread");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), http_servers().len());
}
