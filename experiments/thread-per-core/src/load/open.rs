//! The open loop: the clock triggers the requests.

use std::io;
use std::ops::Range;

use mio::Events;

use super::punctuality::Punctuality;
use super::schedule::Schedule;
use super::traffic::Traffic;

/// The number of requests after which answers are read. This keeps answers
/// from waiting unread while many requests are due at once.
const BATCH: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Due {
    at: u64,
    /// The connection's index among the connections of this thread.
    place: usize,
}

/// Assigns the requests of a schedule to the threads in turn, and the
/// requests of a thread to its connections in turn. Since the threads'
/// numbers of connections differ by at most one, each connection gets the
/// same number of requests.
#[derive(Debug)]
pub(super) struct Turns {
    pub(super) schedule: Schedule,
    /// The number of connections of all threads together.
    pub(super) connections: usize,
    pub(super) thread: usize,
    pub(super) threads: usize,
    /// The index, among the connections of all threads, of the connection
    /// that gets the next request.
    pub(super) turn: usize,
    /// The number of measured requests that all threads together have still
    /// to send before the window ends.
    pub(super) requests: u64,
}

impl Turns {
    /// Returns the thread's next request, or `None` if the window has ended.
    /// A window of a fixed number of requests ends when one more request
    /// would be due.
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

/// Sends the requests of one thread, each when it is due, until the window
/// ends.
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

    /// Sends the requests that are due, up to [`BATCH`] of them.
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
