//! Tests that the incorrect programs on the page lose data, and that the
//! correct ones don't.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use giving_up::listings::half_a_message::{
    read_framed, read_in_a_branch, read_pinned,
};
use giving_up::listings::lost_message::{forward, forward_in_a_branch};
use tokio::io::{duplex, AsyncWriteExt, DuplexStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{channel, Receiver};

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

fn waits(future: std::pin::Pin<&mut impl Future>) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(future.poll(&mut context), Poll::Pending));
}

/// Reads two messages, while a tick arrives in the middle of the first.
fn ticked_in_a_message<Reading>(
    read: fn(DuplexStream, Receiver<()>) -> Reading,
) -> Vec<Vec<u8>>
where
    Reading: Future<Output = Vec<Vec<u8>>>,
{
    run(async {
        let ((mut peer, stream), (ticks, ticked)) = (duplex(64), channel(1));
        let mut reading =
            pin!(tokio::task::unconstrained(read(stream, ticked)));
        peer.write_all(b"\x04pi").await.unwrap();
        waits(reading.as_mut());
        ticks.send(()).await.unwrap();
        waits(reading.as_mut());
        peer.write_all(b"ng\x04pong").await.unwrap();
        drop(peer);
        reading.await
    })
}

#[test]
fn a_read_in_a_branch_loses_the_message_that_a_tick_comes_into() {
    // The reader mistakes the `n` in the middle of the first message for the
    // length of the next message.
    let found: Vec<Vec<u8>> = ticked_in_a_message(read_in_a_branch);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_pinned_read_and_a_framed_one_lose_nothing() {
    let sent = ["ping", "pong"].map(|message| message.as_bytes().to_vec());
    assert_eq!(ticked_in_a_message(read_pinned), sent);
    assert_eq!(ticked_in_a_message(read_framed), sent);
}

/// Forwards three jobs to a channel with room for one. A tick arrives while
/// the second job waits for room.
fn ticked_while_full<Forwarding>(
    forward: fn(
        Receiver<u64>,
        tokio::sync::mpsc::Sender<u64>,
        Receiver<()>,
    ) -> Forwarding,
) -> Vec<u64>
where
    Forwarding: Future<Output = ()>,
{
    run(async {
        let ((jobs, from), (to, mut out)) = (channel(3), channel(1));
        let (ticks, ticked) = channel(1);
        for job in 1..=3 {
            jobs.send(job).await.unwrap();
        }
        drop(jobs);
        let mut forwarding = pin!(forward(from, to, ticked));
        waits(forwarding.as_mut());
        ticks.send(()).await.unwrap();
        drop(ticks);
        waits(forwarding.as_mut());
        let mut found = Vec::new();
        let all = async {
            while let Some(job) = out.recv().await {
                found.push(job);
            }
        };
        tokio::join!(forwarding, all);
        found
    })
}

#[test]
fn a_message_taken_out_of_a_channel_is_lost_with_its_future() {
    assert_eq!(ticked_while_full(forward_in_a_branch), [1, 3]);
    assert_eq!(ticked_while_full(forward), [1, 2, 3]);
}
