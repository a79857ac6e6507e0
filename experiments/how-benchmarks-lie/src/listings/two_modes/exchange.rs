//! Two threads pass a number back and forth.

use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;

/// A connection to another thread. That thread sends every number back until
/// the connection is dropped.
pub struct Echo {
    there: Sender<u64>,
    back: Receiver<u64>,
}

impl Echo {
    /// Starts the other thread. It calls `place` first, to choose a core.
    pub fn start(place: fn()) -> Echo {
        let (there, requests) = channel();
        let (replies, back) = channel();
        thread::spawn(move || {
            place();
            requests.into_iter().try_for_each(|number| replies.send(number))
        });
        Echo { there, back }
    }

    /// Makes `trips` round trips, and returns the sum of the replies.
    pub fn exchange(&self, trips: u64) -> u64 {
        let round_trip = |number| {
            self.there.send(number).expect("the other thread listens");
            self.back.recv().expect("the other thread replies")
        };
        (0..trips).map(round_trip).sum()
    }
}
