//! Experiment `channels`: one or more producers send messages to one
//! consumer.
//!
//! One operation lasts until the last message has been received. With `std`'s
//! channel, producers and consumer are threads; otherwise they are tasks on
//! Tokio.

use std::ops::Range;
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::sync::Mutex;

use harness::{Body, Cell, Experiment, Placement};
use runtimes::tokio::MULTI_THREAD;

use crate::listings::channels::{async_channel, std_mpsc, tokio_mpsc};
use crate::threads::Threads;

pub mod unbounded;

/// The number of messages that one operation of the benchmark sends.
const MESSAGES: u64 = 10_000;

const CAPACITY: usize = 100;

const UNBOUNDED: &str = "unbounded";

const PRODUCERS: [u64; 3] = [1, 2, 4];

pub(crate) fn experiment() -> Experiment {
    Experiment::new("channels", "time per message", "std mpsc")
        .cells(PRODUCERS.into_iter().flat_map(cells))
}

fn cells(producers: u64) -> Vec<Cell> {
    let cell = |contender: &str, capacity: &str, body| {
        let cell = Cell::new(contender, (0..MESSAGES).sum(), body)
            .per(MESSAGES)
            .parameter("producers", producers as i64)
            .parameter("capacity", capacity)
            .placement(Placement::AllCores)
            .in_sweep();
        match (producers, capacity) {
            (1, UNBOUNDED) | (4, _) => cell,
            _ => cell.full_only(),
        }
    };
    let bounded = CAPACITY.to_string();
    let tokio_bounded = move || tokio_mpsc::sum(producers, MESSAGES, CAPACITY);
    let async_bounded =
        move || async_channel::sum(producers, MESSAGES, CAPACITY);
    let tokio = move || unbounded::tokio_mpsc(producers, MESSAGES);
    let other = move || unbounded::async_channel(producers, MESSAGES);
    vec![
        cell("std mpsc", &bounded, std_bounded(producers)),
        cell("tokio mpsc", &bounded, Body::task(MULTI_THREAD, tokio_bounded)),
        cell(
            "async-channel",
            &bounded,
            Body::task(MULTI_THREAD, async_bounded),
        ),
        cell("std mpsc", UNBOUNDED, std_unbounded(producers)),
        cell("tokio mpsc", UNBOUNDED, Body::task(MULTI_THREAD, tokio)),
        cell("async-channel", UNBOUNDED, Body::task(MULTI_THREAD, other)),
    ]
}

fn std_unbounded(producers: u64) -> Body {
    threads(producers, channel, std_mpsc::send)
}

fn std_bounded(producers: u64) -> Body {
    let send = |sender: &SyncSender<u64>, numbers: Range<u64>| {
        for number in numbers {
            sender.send(number).expect("it is awaited");
        }
    };
    threads(producers, || sync_channel(CAPACITY), send)
}

/// Runs one receiving thread and `producers` sending threads.
fn threads<Sender: Send + Sync + 'static>(
    producers: u64,
    new: fn() -> (Sender, Receiver<u64>),
    send: fn(&Sender, Range<u64>),
) -> Body {
    let count = producers as usize + 1;
    let threads = Threads { count, placement: Placement::AllCores };
    threads.together(move || {
        let (sender, receiver) = new();
        // The mutex is never contended: only the receiving thread locks it,
        // once per operation.
        let receiver = Mutex::new(receiver);
        let share = MESSAGES / producers;
        let work = move |place: usize| {
            if place == 0 {
                let receiver = receiver.lock().expect("no one panics with it");
                return std_mpsc::receive(&receiver, MESSAGES);
            }
            let producer = place as u64 - 1;
            send(&sender, producer * share..(producer + 1) * share);
            0
        };
        (work, |sum| sum)
    })
}
