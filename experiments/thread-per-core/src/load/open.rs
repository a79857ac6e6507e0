//! The open loop: the clock makes the requests.

use std::io;
use std::ops::Range;

use mio::Events;

use super::punctuality::Punctuality;
use super::schedule::Schedule;
use super::traffic::Traffic;

/// After so many requests, answers have their turn, so that they are not left lying
/// when many requests are due at once.
const BATCH: usize = 16;

/// A request, and the connection that it is for.
#[derive(Debug, Clone, Copy)]
struct Due {
    /// Nanoseconds from the start.
    at: u64,
    /// Of the thread's connections.
    place: usize,
}

/// The requests of one thread: all of a schedule go to the threads in turn, and each
/// gives its own to its connections in turn. However connections are dealt, no thread
/// has two more than another, so that each gets as many requests.
#[derive(Debug)]
pub(super) struct Turns {
    pub(super) schedule: Schedule,
    /// Of all threads together.
    pub(super) connections: usize,
    pub(super) thread: usize,
    pub(super) threads: usize,
    /// The connection whose turn it is.
    pub(super) turn: usize,
    /// After so many requests in the window, those of all threads, it is over.
    pub(super) requests: u64,
}

impl Turns {
    /// The next request, unless the window is over. If that is because of their number,
    /// it ends when the next one would have been due.
    fn next(&mut self, window: &mut Range<u64>) -> Option<Due> {
        loop {
            let at = self.schedule.next()?;
            if at >= window.end {
                return None;
            }
            if at >= window.start {
                if self.requests == 0 {
                    window.end = at;
                    return None;
                }
                self.requests -= 1;
            }
            let turn = self.turn;
            self.turn = (turn + 1) % self.connections;
            if turn % self.threads == self.thread {
                return Some(Due { at, place: turn / self.threads });
            }
        }
    }
}

/// Makes the requests of a schedule until the window is over.
pub(super) fn run(
    traffic: &mut Traffic<'_>,
    events: &mut Events,
    turns: Turns,
) -> io::Result<Punctuality> {
    let mut open = Open::new(traffic, turns);
    while let Some(next) = open.next {
        traffic.wait(events, next.at)?;
        open.make(traffic);
        for event in events.iter() {
            traffic.serve(event);
            open.make(traffic);
        }
    }
    Ok(open.punctuality)
}

struct Open {
    turns: Turns,
    next: Option<Due>,
    punctuality: Punctuality,
}

impl Open {
    fn new(traffic: &mut Traffic<'_>, mut turns: Turns) -> Open {
        let next = turns.next(traffic.tally.measured.window());
        Open { turns, next, punctuality: Punctuality::default() }
    }

    /// Makes the requests that are due, up to a batch of them.
    fn make(&mut self, traffic: &mut Traffic<'_>) {
        for _ in 0..BATCH {
            let now = traffic.now();
            let Some(Due { at, place }) =
                self.next.filter(|next| next.at <= now)
            else {
                return;
            };
            traffic.request(place, at);
            let is_sent = traffic.send(place);
            let window = traffic.tally.measured.window();
            if at >= window.start {
                self.punctuality.note(now - at, !is_sent);
            }
            self.next = self.turns.next(window);
        }
    }
}
