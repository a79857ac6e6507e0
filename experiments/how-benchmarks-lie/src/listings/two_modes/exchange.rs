//! Two threads hand a number to and fro.

use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;

/// The other thread, which sends back what it gets until this is dropped.
pub struct Echo {
    there: Sender<u64>,
    back: Receiver<u64>,
}

impl Echo {
    /// Starts the thread; `place`, which it runs first, may choose its core.
    pub fn start(place: fn()) -> Echo {
        let (there, requests) = channel();
        let (replies, back) = channel();
        thread::spawn(move || {
            place();
            requests.into_iter().try_for_each(|number| replies.send(number))
        });
        Echo { there, back }
    }

    /// Makes so many round trips, and adds up what comes back.
    pub fn exchange(&self, trips: u64) -> u64 {
        let round_trip = |number| {
            self.there.send(number).expect("the other thread listens");
            self.back.recv().expect("the other thread replies")
        };
        (0..trips).map(round_trip).sum()
    }
}
