//! Helpers for tests that run echo servers as processes, and for their
//! clients.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use thread_per_core::serve::{servers, Running, Server};

pub(crate) mod processes;

use processes::{as_it_is, each_of, PATIENCE};

/// Tests each echo server, started with its defaults: see [`each_of`].
pub(crate) fn each(
    test: impl Fn(&'static Server, Running) -> Result<(), String>,
) {
    each_started(as_it_is, test);
}

/// Tests each echo server, started by the command that `start` returns:
/// see [`each_of`].
pub(crate) fn each_started(
    start: impl Fn(&'static Server) -> Command,
    test: impl Fn(&'static Server, Running) -> Result<(), String>,
) {
    each_of(servers(), start, test);
}

/// Calls `is_so` until it returns `Ok`, for at most [`PATIENCE`].
pub(crate) fn until(
    is_so: impl Fn() -> Result<(), String>,
) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match is_so() {
            Err(_) if Instant::now() < deadline => {}
            result => return result,
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns `len` pseudorandom bytes, which depend on `seed`.
pub(crate) fn message(len: usize, seed: u64) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| rng.u8(..)).take(len).collect()
}

/// Checks that two messages are the same. The error says where they begin to
/// differ.
pub(crate) fn same(got: &[u8], sent: &[u8]) -> Result<(), String> {
    if got == sent {
        return Ok(());
    }
    let place = got.iter().zip(sent).position(|(a, b)| a != b);
    let place = place.unwrap_or(got.len().min(sent.len()));
    let (got, sent) = (got.len(), sent.len());
    Err(format!("{got} bytes for {sent}, wrong from byte {place} on"))
}

/// Sends a message, and checks that the server sends it back unchanged.
pub(crate) fn ask(
    client: &mut TcpStream,
    message: &[u8],
) -> Result<(), String> {
    let mut got = vec![0; message.len()];
    client.write_all(message).map_err(|error| format!("sending: {error}"))?;
    client.read_exact(&mut got).map_err(|error| format!("reading: {error}"))?;
    same(&got, message)
}

/// Sends a message in pieces, whose lengths cycle through `pieces`, and then
/// closes the sending side. Meanwhile, reads the reply until the server
/// closes the connection.
pub(crate) fn send_in_pieces(
    client: &mut TcpStream,
    message: &[u8],
    pieces: &[usize],
) -> Result<Vec<u8>, String> {
    let mut sending = client.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut rest = message;
            for &piece in pieces.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at(piece.min(rest.len()));
                // A send error is ignored, because the incomplete reply then
                // fails the test.
                drop(sending.write_all(now));
                rest = later;
            }
            drop(sending.shutdown(Shutdown::Write));
        });
        let mut got = Vec::new();
        let read = client.read_to_end(&mut got);
        read.map_err(|error| format!("reading: {error}"))?;
        Ok(got)
    })
}
