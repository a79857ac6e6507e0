//! Tests that every server, run as a process, echoes its input, whatever the
//! set-up of its ring.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rings::{arms, command, command_as_used, ServerAsUsed, SERVERS_AS_USED};
use thread_per_core::serve::Running;
use thread_per_core::server_process::Serves;

/// How long a client waits for an answer. If a server hangs, its test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Tests each server, and fails with the names of those that fail. If not
/// even a plain ring can be created here, only tests the servers on epoll.
fn each(test: impl Fn(Running) -> Result<(), String>) {
    each_but(&[], test);
}

/// Tests each server except those of experiment `as-used` that are named in
/// `left_out`.
fn each_but(left_out: &[&str], test: impl Fn(Running) -> Result<(), String>) {
    let core = *host::cores::usable().unwrap().last().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_rings"));
    let start = |arm| Running::start(command(program, arm, core));
    let plain = arms().iter().find(|arm| arm.ring == "as it comes").unwrap();
    let no_ring = start(plain).err();
    let mut failed = Vec::new();
    for arm in arms() {
        if let Some(reason) = no_ring.as_ref().filter(|_| arm.ring != "none") {
            println!("{} cannot run here: {reason}", arm.name());
            continue;
        }
        let outcome = start(arm).and_then(&test);
        failed
            .extend(outcome.err().map(|why| format!("{}: {why}", arm.name())));
    }
    let no_core = host::cores::room_for_cores(2).err();
    if let Some(reason) = &no_core {
        println!("the servers as used cannot run here: {reason}");
    }
    let is_tested = |server: &&ServerAsUsed| {
        no_ring.is_none()
            && no_core.is_none()
            && !left_out.contains(&&*server.name())
    };
    for server in SERVERS_AS_USED.iter().filter(is_tested) {
        let started = command_as_used(program, server).and_then(Running::start);
        let outcome = started.and_then(&test);
        let name = server.name();
        failed.extend(outcome.err().map(|why| format!("{name}: {why}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn connect(running: &Running) -> TcpStream {
    let client = TcpStream::connect(running.address()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.set_write_timeout(Some(PATIENCE)).unwrap();
    client
}

/// Returns `len` pseudorandom bytes. Each call with the same `len` returns
/// the same bytes.
fn message(len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(len as u64);
    std::iter::repeat_with(|| rng.u8(..)).take(len).collect()
}

/// Reads an answer, and compares it with the bytes that the client has sent.
fn answered(client: &mut TcpStream, sent: &[u8]) -> Result<(), String> {
    let mut got = vec![0; sent.len()];
    let read = client.read_exact(&mut got);
    read.map_err(|error| format!("{} bytes: {error}", sent.len()))?;
    let place = got.iter().zip(sent).position(|(got, sent)| got != sent);
    place.map_or(Ok(()), |at| Err(format!("wrong from byte {at} on")))
}

#[test]
fn what_is_sent_comes_back_however_it_is_split_and_then_the_end() {
    let sent = message(2 << 20);
    each(|running| {
        let mut client = connect(&running);
        let mut sending = client.try_clone().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for piece in sent.chunks(70_001) {
                    let (short, rest) = piece.split_at(3);
                    // A send error is ignored, because the incomplete reply
                    // then fails the test.
                    drop(sending.write_all(short));
                    drop(sending.write_all(rest));
                }
                drop(sending.shutdown(Shutdown::Write));
            });
            answered(&mut client, &sent)
        })?;
        let more = client.read(&mut [0]).map_err(|error| error.to_string())?;
        if more > 0 {
            return Err("it sends more than it got".to_owned());
        }
        Ok(())
    });
}

/// Sends bytes without reading until the server and the kernel accept no
/// more. Returns the number of bytes sent.
fn send_what_is_taken(client: &mut TcpStream, message: &[u8]) -> usize {
    client.set_nonblocking(true).unwrap();
    let (mut sent, mut refused) = (0, 0);
    while refused < 4 && sent < message.len() {
        match client.write(&message[sent..]) {
            Ok(more) => (sent, refused) = (sent + more, 0),
            Err(_) => {
                refused += 1;
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
    client.set_nonblocking(false).unwrap();
    sent
}

#[test]
fn clients_that_read_nothing_get_it_all_later() {
    // These clients send more than all buffers of a ring can hold. In compio,
    // that ends a multishot receive with an error, which ends the connection.
    let sent = message(32 << 20);
    each_but(&["compio, multishot, cooperative"], |running| {
        let mut idle = Vec::new();
        for _ in 0..2 {
            let mut client = connect(&running);
            let taken = send_what_is_taken(&mut client, &sent);
            idle.push((client, taken));
        }
        // This client disconnects before it reads its answer.
        let mut gone = connect(&running);
        gone.write_all(&sent[..64]).map_err(|error| error.to_string())?;
        drop(gone);
        for (mut client, taken) in idle {
            answered(&mut client, &sent[..taken])?;
        }
        let mut another = connect(&running);
        another.write_all(&sent[..64]).map_err(|error| error.to_string())?;
        answered(&mut another, &sent[..64])?;
        let (report, status) = running.end()?;
        if !status.success() || report.accepted != [4] {
            return Err(format!("{status}, {report:?}"));
        }
        Ok(())
    });
}

#[test]
fn clients_that_break_while_all_buffers_are_out_hold_up_nobody() {
    let sent = message(32 << 20);
    each(|running| {
        let mut waiting = connect(&running);
        let mut breaking: Vec<_> = (0..4).map(|_| connect(&running)).collect();
        for client in &mut breaking {
            send_what_is_taken(client, &sent);
        }
        waiting.write_all(&sent[..64]).map_err(|error| error.to_string())?;
        // These clients have not read their answers, so the kernel resets the
        // connections.
        drop(breaking);
        answered(&mut waiting, &sent[..64])?;
        let mut another = connect(&running);
        another.write_all(&sent[..64]).map_err(|error| error.to_string())?;
        answered(&mut another, &sent[..64])
    });
}
