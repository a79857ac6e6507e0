//! Two threads hand a number to and fro.

use std::sync::mpsc;
use std::thread;

/// Starts a thread that sends back what it gets, and adds up what comes back.
/// The thread begins with `place`, which may choose its core.
pub fn exchange(trips: u64, place: fn()) -> u64 {
    let (there, requests) = mpsc::channel::<u64>();
    let (replies, back) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            place();
            for number in requests {
                replies.send(number).expect("someone waits for it");
            }
        });
        let round_trip = |number| {
            there.send(number).expect("the other thread listens");
            back.recv().expect("the other thread replies")
        };
        let sum = (0..trips).map(round_trip).sum();
        // Ends the other thread.
        drop(there);
        sum
    })
}
