//! Tests the load generator: it finds a server's errors, leaves no request
//! out, and comes to an end.
#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use thread_per_core::load::{
    run, Arrivals, End, Error, Pace, Percentile, Report, Settings,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_thread-per-core");

/// Starts a server that calls `behave` in a thread per connection, with the
/// connection's number and its stream.
fn server(
    behave: impl Fn(u64, TcpStream) + Clone + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for (number, stream) in (0..).zip(listener.incoming()) {
            let (behave, stream) = (behave.clone(), stream.unwrap());
            stream.set_nodelay(true).unwrap();
            thread::spawn(move || behave(number, stream));
        }
    });
    address
}

/// Sends back each piece that it reads, after `change` has modified it, until
/// the connection ends.
fn echo(mut stream: TcpStream, mut change: impl FnMut(&mut Vec<u8>)) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        let mut bytes = buffer[..read].to_vec();
        change(&mut bytes);
        if stream.write_all(&bytes).is_err() {
            return;
        }
    }
}

fn right() -> SocketAddr {
    server(|_, stream| echo(stream, |_| {}))
}

/// Returns settings for a closed loop of 8 connections that measures from the
/// first request on.
fn closed(address: SocketAddr) -> Settings {
    Settings {
        connections: 8,
        lead_in: Duration::ZERO,
        end: End::After(Duration::from_millis(300)),
        ..Settings::of(address)
    }
}

/// Returns settings for an open loop on 8 connections, and the number of
/// requests that are due during the measurement.
fn open(address: SocketAddr) -> (Settings, u64) {
    let pace = Pace::Open { rate: 2_000.0, arrivals: Arrivals::Even, seed: 1 };
    (Settings { pace, ..closed(address) }, 600)
}

fn reported(settings: &Settings) -> Report {
    run(settings).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn is_without_errors(report: &Report) {
    assert!(report.answered > 0, "{report:?}");
    assert_eq!((report.errors, report.unanswered), (0, 0), "{report:?}");
    assert_eq!(report.latencies_ns.count(), report.answered);
    let Report { connections, .. } = report;
    assert_eq!((connections.refused, connections.broken), (0, 0));
    assert_eq!(connections.reason, None);
}

#[test]
fn a_closed_loop_counts_the_answers_of_its_window() {
    let settings = Settings {
        lead_in: Duration::from_millis(100),
        threads: 2,
        ..closed(right())
    };
    let report = reported(&settings);
    is_without_errors(&report);
    assert_eq!(report.elapsed_ns, 300_000_000);
    let achieved = report.answered as f64 / 0.3;
    assert!((report.achieved - achieved).abs() < 1e-6, "{report:?}");
    assert_eq!((report.offered, report.punctuality), (None, None));
    let connections = &report.connections;
    assert_eq!(connections.made, 8);
    assert!(connections.least <= connections.median);
    assert!(connections.median <= connections.most);
    assert!(connections.most * 8 >= report.answered);
}

#[test]
fn messages_of_any_length_come_back_and_are_checked() {
    for (message_bytes, pipeline) in
        [(1, 1), (64, 16), (65_536, 1), (100_001, 3), (1 << 20, 2)]
    {
        let settings = Settings {
            message_bytes,
            pipeline,
            end: End::Requests(100),
            ..closed(right())
        };
        let report = reported(&settings);
        is_without_errors(&report);
        assert!(report.answered >= 100, "{report:?}");
    }
}

#[test]
fn an_answer_may_come_in_pieces() {
    let address = server(|_, stream| {
        let mut other_side = stream.try_clone().unwrap();
        echo(stream, |bytes| {
            for piece in bytes.chunks(7) {
                // Writing fails after the load has ended. Then this thread
                // ends as well.
                let _ = other_side.write_all(piece);
            }
            bytes.clear();
        });
    });
    let end = End::Requests(100);
    is_without_errors(&reported(&Settings { end, ..closed(address) }));
}

#[test]
fn an_open_loop_makes_every_request_that_is_due_whatever_the_threads() {
    let (settings, due) = open(right());
    for threads in [1, 2, 3] {
        let report = reported(&Settings { threads, ..settings.clone() });
        is_without_errors(&report);
        assert_eq!(report.answered, due);
        assert_eq!(report.offered, Some(2_000.0));
        let punctuality = report.punctuality.unwrap();
        assert_eq!(punctuality.due, due);
        assert_eq!(punctuality.lateness_ns.count(), due);
        // Requests go to the connections in turn, so all connections get the
        // same number.
        let connections = report.connections;
        assert_eq!((connections.least, connections.most), (75, 75));
    }
}

#[test]
fn who_never_sleeps_finds_the_same() {
    let (settings, due) = open(right());
    let report = reported(&Settings { spin: true, ..settings });
    is_without_errors(&report);
    assert_eq!(report.answered, due);
    let closed = reported(&Settings { spin: true, ..closed(right()) });
    is_without_errors(&closed);
}

#[test]
fn an_open_loop_ends_after_so_many_requests() {
    let (settings, _) = open(right());
    let lead_in = Duration::from_millis(50);
    let end = End::Requests(150);
    let report = reported(&Settings { lead_in, end, threads: 2, ..settings });
    is_without_errors(&report);
    assert_eq!(report.answered, 150);
    assert_eq!(report.offered, Some(2_000.0));
}

#[test]
fn a_wrong_byte_is_an_error() {
    // The server changes one byte of every tenth message.
    let address = server(|_, stream| {
        let mut bytes_before = 0;
        echo(stream, move |bytes| {
            for byte in bytes {
                *byte ^= u8::from(bytes_before % 640 == 600);
                bytes_before += 1;
            }
        });
    });
    let connections = 1;
    let report = reported(&Settings { connections, ..closed(address) });
    assert_eq!(report.wrong, report.requests() / 10, "{report:?}");
    assert_eq!(report.errors, report.wrong);
    assert!(report.answered > 0);
    assert_eq!(report.latencies_ns.count(), report.answered);
}

#[test]
fn a_byte_that_goes_missing_makes_everything_wrong_that_follows() {
    let address = server(|_, stream| {
        let mut is_first = true;
        echo(stream, move |bytes| {
            if std::mem::take(&mut is_first) {
                bytes.remove(0);
            }
        });
    });
    let (settings, due) = open(address);
    let report = reported(&Settings { pipeline: 16, ..settings });
    assert_eq!(report.requests(), due);
    // One byte in 256 is right by chance, but a whole message of 64 bytes
    // hardly ever is.
    assert_eq!(report.answered, 0, "{report:?}");
    assert!(report.wrong > 0 && report.unanswered >= 8, "{report:?}");
}

#[test]
fn a_server_that_says_more_than_it_was_told_is_not_listened_to() {
    let address = server(|_, stream| echo(stream, |bytes| bytes.push(0)));
    let report = reported(&closed(address));
    assert_eq!(report.connections.broken, 8);
    let reason = report.connections.reason.unwrap();
    assert!(reason.contains("more than it was sent"), "{reason}");
}

#[test]
fn what_broke_with_its_connection_is_lost_and_the_others_go_on() {
    let closes_half = || {
        server(|number, mut stream| {
            if number % 2 == 1 {
                stream.read_exact(&mut [0; 64]).unwrap();
                stream.shutdown(Shutdown::Both).unwrap();
            } else {
                echo(stream, |_| {});
            }
        })
    };
    let report = reported(&closed(closes_half()));
    assert_eq!((report.lost, report.wrong, report.unanswered), (4, 0, 0));
    assert_eq!((report.connections.made, report.connections.broken), (8, 4));
    assert_eq!(report.connections.least, 0);
    assert!(report.connections.most > 0);
    let reason = report.connections.reason.unwrap();
    assert!(reason.contains("closed the connection"), "{reason}");

    // If a connection breaks, requests that become due on it later are lost,
    // too.
    let (settings, due) = open(closes_half());
    let report = reported(&settings);
    assert_eq!((report.answered, report.lost), (due / 2, due / 2));
}

#[test]
fn a_server_that_never_answers_is_not_waited_for_forever() {
    let silent = || {
        server(|_, mut stream| {
            let mut buffer = [0; 64];
            while let Ok(1..) = stream.read(&mut buffer) {}
        })
    };
    let report = reported(&Settings { pipeline: 3, ..closed(silent()) });
    assert_eq!((report.answered, report.unanswered), (0, 24));
    let (settings, due) = open(silent());
    let report = reported(&settings);
    assert_eq!((report.answered, report.unanswered), (0, due));
    assert_eq!(report.percentile(500), Percentile::Unanswered);
    assert_eq!(report.percentile(999), Percentile::TooFew);

    // The load doesn't wait for the answers of a server that reads nothing.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let message_bytes = 16 << 20;
    let report = reported(&Settings { message_bytes, ..closed(address) });
    assert_eq!((report.answered, report.unanswered), (0, 8));
}

#[test]
fn who_is_not_on_this_computer_is_not_asked() {
    // This address is in a network that is reserved for examples.
    let error = run(&closed("192.0.2.1:80".parse().unwrap())).unwrap_err();
    assert!(matches!(error, Error::NotLoopback(_)), "{error}");
    let output = load("", &["192.0.2.1:80"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("loopback addresses only"), "{said}");
}

#[test]
fn where_nobody_listens_there_is_a_reason() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let Error::NoConnection { asked, reason, .. } =
        run(&closed(address)).unwrap_err()
    else {
        panic!("nobody listens");
    };
    assert_eq!(asked, 8);
    assert_eq!(reason.kind(), ErrorKind::ConnectionRefused);
}

/// An open loop shows a server's stall in full. A closed loop omits most of
/// it (coordinated omission). The server stalls once, for `STALL`. The bounds
/// leave room, since this computer may be busy with other work.
#[test]
fn a_stall_is_told_in_full_by_an_open_loop_and_left_out_by_a_closed_one() {
    const STALL: Duration = Duration::from_millis(200);
    /// A delay that is longer than any that a busy computer should cause.
    const SLOW: Duration = Duration::from_millis(50);
    const CONNECTIONS: u64 = 16;
    const RATE: f64 = 2_000.0;
    let stalls_once = || {
        let messages = Arc::new(AtomicU64::new(0));
        let gate = Arc::new(Mutex::new(()));
        server(move |_, stream| {
            echo(stream, |_| {
                let _waits = gate.lock().unwrap();
                if messages.fetch_add(1, Ordering::Relaxed) == 600 {
                    thread::sleep(STALL);
                }
            });
        })
    };
    let settings = |address| Settings {
        connections: CONNECTIONS as usize,
        lead_in: Duration::from_millis(100),
        end: End::After(Duration::from_secs(1)),
        ..Settings::of(address)
    };
    let pace = Pace::Open { rate: RATE, arrivals: Arrivals::Even, seed: 1 };
    let open = reported(&Settings { pace, ..settings(stalls_once()) });
    let closed = reported(&settings(stalls_once()));
    is_without_errors(&open);
    is_without_errors(&closed);

    let slow = SLOW.as_nanos() as u64;
    let slow_in_open = open.latencies_ns.longer_than(slow);
    let slow_in_closed = closed.latencies_ns.longer_than(slow);
    println!("slow: {slow_in_open} in the open loop, {slow_in_closed} in the closed one");
    // Requests that are due during the stall, except in its last 50 ms, are
    // slow. The bound leaves room for one answer in flight per connection,
    // and for one request at the edge of that time.
    let stalled = (RATE * (STALL - SLOW).as_secs_f64()) as u64;
    let least = stalled - CONNECTIONS - 1;
    assert!(slow_in_open >= least, "{slow_in_open}, at least {least}");
    // The request at which the server stalled waited for the whole stall.
    assert!(open.latencies_ns.max() >= STALL.as_nanos() as u64);
    // More than 5 % of all requests are slow, so the 95th percentile is slow,
    // too.
    let p99 = open.percentile(950);
    assert!(matches!(p99, Percentile::Known(p) if p >= slow), "{p99:?}");
    // The load generator reports that the slow requests waited for the
    // server.
    let waited = open.punctuality.unwrap().waited;
    assert!(waited >= stalled - CONNECTIONS, "{waited}");
    // In the closed loop, only one request per connection waited for the
    // stall to end.
    assert!(
        slow_in_closed < slow_in_open / 4,
        "{slow_in_closed}, {slow_in_open}"
    );
}

/// Runs the load generator as a process, started by a shell that first
/// executes `before`.
fn load(before: &str, arguments: &[&str]) -> Output {
    let command = format!("{before} exec \"$0\" load \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command, PROGRAM]).args(arguments);
    shell.output().unwrap()
}

#[test]
fn where_too_few_files_may_be_open_the_limit_is_raised_or_told() {
    let address = right().to_string();
    let arguments = [&address, "--connections", "300", "--requests", "300"];
    let told = load("ulimit -n 64;", &arguments);
    assert_eq!(told.status.code(), Some(1));
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(said.contains("300 connections"), "{said}");
    assert!(said.contains("which allows 64, with "), "{said}");
    assert!(said.contains("in use: ulimit -n 4"), "{said}");

    if let Err(reason) = host::how_many::room_for_files(300) {
        return println!("it is not raised here: {reason}");
    }
    let raised = load("ulimit -S -n 64;", &arguments);
    let said = String::from_utf8(raised.stdout).unwrap();
    assert!(raised.status.success(), "{said}");
    assert!(said.contains("300 made, 0 refused, 0 broken"), "{said}");
}

#[test]
fn the_program_prints_a_report_for_people_or_for_programs() {
    let address = right().to_string();
    let rate = ["--rate", "2000", "--arrivals", "even"];
    let time = ["--window", "100ms", "--lead-in", "50ms"];
    let arguments = [&[address.as_str()], &rate[..], &time].concat();
    let said = String::from_utf8(load("", &arguments).stdout).unwrap();
    assert!(said.contains("2000 requests a second"), "{said}");
    assert!(said.contains("too few") && said.contains("of 200"), "{said}");

    let json = load("", &[&arguments[..], &["--json"]].concat()).stdout;
    let report: Report = serde_json::from_slice(&json).unwrap();
    is_without_errors(&report);
    assert_eq!(report.answered, 200);
    assert_eq!(report.offered, Some(2_000.0));
}

#[test]
fn it_ends_with_the_program_that_started_it() {
    let address = right().to_string();
    let mut child = Command::new(PROGRAM)
        .args(["load", &address, "--window", "60s", "--with-parent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
    let since = Instant::now();
    drop(child.stdin.take());
    let ended = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if since.elapsed() > Duration::from_secs(20) => break None,
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    if ended.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(ended.expect("it goes on").code(), Some(1));
}
