//! Two threads or tasks pass a number back and forth through channels. There
//! is one module per runtime.

/// Two threads pass a number back and forth through two channels of the
/// standard library.
pub mod std_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
    use std::thread;

    /// The thread that sends each number first. Its partner sends the number
    /// back.
    pub struct Pair {
        there: SyncSender<u64>,
        back: Receiver<u64>,
    }

    impl Pair {
        /// Starts the partner thread, which first calls `first`, and ends
        /// when the pair is dropped.
        pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
            let (there, arriving) = sync_channel(1);
            let (returning, back) = sync_channel(1);
            thread::spawn(move || {
                first();
                for number in arriving {
                    returning.send(number).expect("it is awaited");
                }
            });
            Pair { there, back }
        }

        /// Sends `rounds` numbers to the partner, waiting for each to come
        /// back. Returns how many came back unchanged.
        pub fn round_trips(&self, rounds: u64) -> u64 {
            let mut right = 0;
            for number in 0..rounds {
                self.there.send(number).expect("the partner listens");
                right += u64::from(self.back.recv() == Ok(number));
            }
            right
        }
    }
}

/// Defines `round_trips` for two tasks of one runtime. The arguments say how
/// to create a channel, whether receivers are mutable, which variant of a
/// receiver's result holds a number, how to spawn a task, and how to handle a
/// task's result.
macro_rules! round_trips {
    ($channel:path, [$($is_mut:tt)?], $received:ident, $spawn:path, [$($joined:tt)*]) => {
        /// Sends `rounds` numbers to a task that sends each of them back, and
        /// then waits until that task ends. Returns how many numbers came
        /// back unchanged.
        pub async fn round_trips(rounds: u64) -> u64 {
            let (there, $($is_mut)? arriving) = $channel(1);
            let (returning, $($is_mut)? back) = $channel(1);
            let partner = $spawn(async move {
                while let $received(number) = arriving.recv().await {
                    returning.send(number).await.expect("it is awaited");
                }
            });
            let mut right = 0;
            for number in 0..rounds {
                there.send(number).await.expect("the partner listens");
                right += u64::from(back.recv().await == $received(number));
            }
            drop(there);
            partner.await $($joined)*;
            right
        }
    };
}

/// Two Tokio tasks pass a number back and forth through two channels.
pub mod tokio {
    use tokio::sync::mpsc::channel;

    round_trips!(channel, [mut], Some, tokio::spawn, [.expect("the partner ends")]);
}

/// Two tasks of a Tokio `LocalSet` pass a number back and forth through two
/// Tokio channels.
pub mod tokio_local_set {
    use tokio::sync::mpsc::channel;
    use tokio::task::spawn_local;

    round_trips!(channel, [mut], Some, spawn_local, [.expect("the partner ends")]);
}

/// Two smol tasks pass a number back and forth through two channels.
pub mod smol {
    use smol::channel::bounded;

    round_trips!(bounded, [], Ok, smol::spawn, []);
}

/// Two Glommio tasks pass a number back and forth through two of Glommio's
/// channels, which connect tasks of one thread.
#[cfg(target_os = "linux")]
pub mod glommio {
    use glommio::channels::local_channel::new_bounded;
    use glommio::spawn_local;

    round_trips!(new_bounded, [], Some, spawn_local, []);
}

/// Two Monoio tasks pass a number back and forth through two channels. Monoio
/// has no channels of its own, so these are from `async_channel`, like
/// smol's.
pub mod monoio {
    use async_channel::bounded;

    round_trips!(bounded, [], Ok, monoio::spawn, []);
}

/// Two compio tasks pass a number back and forth through two channels. compio
/// has no channels of its own, so these are from `async_channel`, like
/// smol's.
pub mod compio {
    use async_channel::bounded;
    use compio::runtime::spawn;

    round_trips!(bounded, [], Ok, spawn, [.expect("the partner ends")]);
}
