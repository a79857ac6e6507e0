//! Experiment `places`: what an operation costs two cores at different
//! distances. The operation passes a cache line back and forth, wakes the
//! other core by a message, or takes a contended lock.

use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};

use harness::{Body, Cell, Experiment, Placement};
use host::places::{pair, Apart};

use crate::listings::moved::turn::Turn;

/// The number of round trips, or of lock acquisitions per thread, in one
/// timed operation.
const TIMES: u64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("places", "time per round trip", "line")
        .cells(Apart::ALL.into_iter().flat_map(cells))
}

fn cells(apart: Apart) -> [Cell; 3] {
    let cell = |contender, body| {
        Cell::new(contender, 2 * TIMES, body)
            .per(TIMES)
            .parameter("apart", apart.name())
            .placement(Placement::Neighbours)
            .needs(move || pair(apart).map(drop))
    };
    [
        cell("line", line(apart)),
        cell("channel", messages(apart)),
        cell("std Mutex", lock(apart)),
    ]
}

/// Returns the indexes of two cores at the distance `apart`. The caller has
/// checked that such cores exist.
fn places(apart: Apart) -> (usize, usize) {
    pair(apart).expect("it was asked before")
}

fn cores() -> usize {
    host::cores::usable().map_or(1, |cores| cores.len()).max(2)
}

/// Creates a benchmark with a thread on every core. Two of the threads pass a
/// cache line back and forth.
fn line(apart: Apart) -> Body {
    Body::together(cores(), true, move || {
        let (first, second) = places(apart);
        let turn = Arc::new(Turn::default());
        let taken = Arc::clone(&turn);
        let work = move |place| {
            let turns = 0..2 * TIMES;
            if place == first {
                let sum = taken.take(turns, 0, || 1);
                // Waits until the cache line has come back for the last time.
                taken.wait_for(2 * TIMES);
                sum
            } else if place == second {
                taken.take(turns, 1, || 1)
            } else {
                0
            }
        };
        let finish = move |sum| {
            turn.reset();
            sum
        };
        (work, finish)
    })
}

/// Creates a benchmark with a thread on every core. Two of the threads send
/// each other messages, and each sleeps until it gets one.
fn messages(apart: Apart) -> Body {
    type End = Mutex<(Sender<u64>, Receiver<u64>)>;
    Body::together(cores(), true, move || {
        let (first, second) = places(apart);
        let ((to_second, of_second), (to_first, of_first)) =
            (channel(), channel());
        // Each thread uses one end of the connection, and locks it once per
        // operation.
        let ends: [End; 2] = [
            Mutex::new((to_second, of_first)),
            Mutex::new((to_first, of_second)),
        ];
        let work = move |place| {
            let is_first = place == first;
            if !is_first && place != second {
                return 0;
            }
            let end = ends[usize::from(!is_first)].lock();
            let (to, of) = &*end.expect("no one panics with it");
            let mut sum = 0;
            for _ in 0..TIMES {
                if is_first {
                    to.send(1).expect("the other lives");
                }
                sum += of.recv().expect("the other lives");
                if !is_first {
                    to.send(1).expect("the other lives");
                }
            }
            sum
        };
        (work, |sum| sum)
    })
}

/// Creates a benchmark with a thread on every core. Two of the threads
/// increment a number under a lock, the same number of times.
fn lock(apart: Apart) -> Body {
    Body::together(cores(), true, move || {
        let (first, second) = places(apart);
        let number = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&number);
        let work = move |place| {
            if place == first || place == second {
                for _ in 0..TIMES {
                    *counted.lock().expect("no one panics with it") += 1;
                }
            }
            0
        };
        let finish = move |_| {
            std::mem::take(&mut *number.lock().expect("no one panics with it"))
        };
        (work, finish)
    })
}
