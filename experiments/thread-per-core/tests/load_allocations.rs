//! Tests that the load generator allocates nothing while requests are in
//! flight. This test has a process of its own, since the allocations of all
//! threads are counted.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use harness::allocations::{count, counted};
use thread_per_core::load::{run, Arrivals, End, Pace, Settings};

/// Starts an echo server that allocates nothing once its connections are
/// open.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(read @ 1..) = stream.read(&mut buffer) {
                    stream.write_all(&buffer[..read]).unwrap();
                }
            });
        }
    });
    address
}

#[test]
fn requests_allocate_nothing() {
    let address = server();
    let rate = 4_000.0;
    for (pace, pipeline) in [
        (Pace::Closed, 1),
        (Pace::Closed, 8),
        (Pace::Open { rate, arrivals: Arrivals::Poisson, seed: 1 }, 8),
    ] {
        let allocated_by = |requests| {
            let settings = Settings {
                connections: 4,
                pace,
                pipeline,
                lead_in: Duration::ZERO,
                end: End::Requests(requests),
                ..Settings::of(address)
            };
            let before = counted().0;
            count(true);
            let report = run(&settings).unwrap();
            count(false);
            assert!(
                report.answered >= requests && report.errors == 0,
                "{report:?}"
            );
            counted().0 - before
        };
        let (few, many) = (allocated_by(100), allocated_by(4_000));
        // A few allocations may differ, such as those for connections,
        // threads and histograms.
        assert!(many.abs_diff(few) < 100, "{pace:?}: {few}, then {many}");
    }
}
