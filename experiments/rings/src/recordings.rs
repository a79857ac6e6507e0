//! Experiment `recordings`: a message that arrives while the server computes,
//! as seen by the kernel and the program. `cargo run -r -p rings -- --record`
//! records it; ordinary runs don't measure it.
//!
//! The server is a bare ring with one receive in flight. It computes
//! for [`WORK`] and meanwhile looks at the ring's memory, without a system
//! call; only after that, and only if nothing has arrived, does it ask the
//! ring. The two benchmarks differ only in a flag of the ring.

use std::hint::spin_loop;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use harness::{
    pin_this_thread, room_for_cores, stamp, Body, Cell, Experiment, Party,
    RecordingPlan,
};
use io_uring::types::Fd;
use io_uring::{opcode, IoUring};
use runtimes::no_ring;

/// How long the server computes per message, and how long after the start of
/// that computation the client sends the message.
const WORK: Duration = Duration::from_micros(60);
const SENT_AFTER: Duration = Duration::from_micros(20);

const MESSAGES: u64 = 50;

/// The cores of client and server, as indexes among the usable cores. The
/// client runs on the first core, like the load in the chapter Thread per
/// core.
const CLIENT: usize = 0;
const SERVER: usize = 1;

const ALIVE: &str = "both ends live";

type Build = fn() -> io::Result<IoUring>;

pub(crate) fn experiment(as_it_comes: Build, deferred: Build) -> Experiment {
    let rings = [("as it comes", as_it_comes), ("deferred", deferred)];
    let cells = rings.map(|(ring, build)| {
        let body = Body::here(move || move || messages(build));
        Cell::new("baseline", MESSAGES, body)
            .per(MESSAGES)
            .parameter("interface", "io_uring")
            .parameter("ring", ring)
            .parameter("placement", "apart")
            .needs(|| room_for_cores(2))
            .needs(move || build().map(drop).map_err(no_ring))
            .recorded(plan())
    });
    Experiment::new("recordings", "time per operation", "baseline").cells(cells)
}

/// Returns the steps to record, from the client's `write` until the server
/// has the message.
fn plan() -> RecordingPlan {
    let (client, server) = (Party::Waker, Party::Woken);
    let begins = client.stamps("write");
    RecordingPlan::of("message", ["client", "server"], "write", begins)
        .until_perhaps("interrupt", client.interrupts())
        .until_perhaps("completed", server.stamps("completed"))
        .until("work done", server.stamps("work done"))
        .until_perhaps("asked", server.returns_from("io_uring_enter"))
        .until("read", server.stamps("read"))
        .with_calls(&["sendto", "recvfrom", "write"])
        .apart()
}

/// Runs a client and a server that exchange [`MESSAGES`] messages, and
/// returns the sum of the replies.
fn messages(build: Build) -> u64 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it listens");
    let mut client = TcpStream::connect(address).expect("the server listens");
    let (server, _) = listener.accept().expect("the client comes");
    for end in [&client, &server] {
        end.set_nodelay(true).expect("a socket has this option");
    }
    let computes = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(SERVER).expect("there are two cores");
            // The server's thread creates the ring, since only the thread
            // that creates a single-issuer ring may use it.
            serve(build().expect("it was built before"), server, &computes);
        });
        let client = scope.spawn(|| {
            pin_this_thread(CLIENT).expect("there are two cores");
            (0..MESSAGES).map(|_| ask(&mut client, &computes)).sum()
        });
        client.join().expect("it does not panic")
    })
}

fn ask(client: &mut TcpStream, computes: &AtomicBool) -> u64 {
    while !computes.swap(false, Ordering::Acquire) {
        spin_loop();
    }
    let begun = Instant::now();
    while begun.elapsed() < SENT_AFTER {
        spin_loop();
    }
    stamp("write");
    client.write_all(&[1]).expect(ALIVE);
    let mut byte = [0];
    client.read_exact(&mut byte).expect(ALIVE);
    byte[0].into()
}

fn serve(mut ring: IoUring, mut socket: TcpStream, computes: &AtomicBool) {
    let mut byte = [0];
    for _ in 0..MESSAGES {
        let to = byte.as_mut_ptr();
        let receive = opcode::Recv::new(Fd(socket.as_raw_fd()), to, 1).build();
        // SAFETY: the byte and the socket outlive the receive, because this
        // round waits for it to finish.
        unsafe { ring.submission().push(&receive) }.expect("there is room");
        ring.submit().expect("the kernel takes it");
        computes.store(true, Ordering::Release);
        let mut is_there = false;
        let begun = Instant::now();
        while begun.elapsed() < WORK {
            if !is_there && !ring.completion().is_empty() {
                is_there = true;
                stamp("completed");
            }
        }
        stamp("work done");
        if !is_there {
            ring.submit_and_wait(1).expect("the kernel answers");
        }
        let received = ring.completion().next().expect("it is waited for");
        assert_eq!(received.result(), 1, "a byte was sent");
        stamp("read");
        socket.write_all(&byte).expect(ALIVE);
    }
}
