//! Two units hand a number to and fro through channels: a contender a module.

/// Two threads hand a number to and fro through two of `std`'s channels.
pub mod std_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
    use std::thread;

    /// The thread that sends first; its partner sends back what it is sent.
    pub struct Pair {
        there: SyncSender<u64>,
        back: Receiver<u64>,
    }

    impl Pair {
        /// Starts the partner, which does `first` before all else, and ends with
        /// the pair.
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

        /// Sends `rounds` numbers and waits for each to come back; returns how many
        /// came back as they were sent.
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

/// Two tasks of a runtime: by what it makes a channel, whether its receivers are
/// mutable, what one gives, how it spawns, and what to do with what a task gives.
macro_rules! round_trips {
    ($channel:path, [$($is_mut:tt)?], $received:ident, $spawn:path, [$($joined:tt)*]) => {
        /// Sends `rounds` numbers to a task that sends each back, and waits for it;
        /// returns how many came back as they were sent.
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

/// Two Tokio tasks hand a number to and fro through two channels.
pub mod tokio {
    use tokio::sync::mpsc::channel;

    round_trips!(channel, [mut], Some, tokio::spawn, [.expect("the partner ends")]);
}

/// Two tasks of a Tokio `LocalSet` hand a number to and fro through two of
/// Tokio's channels.
pub mod tokio_local_set {
    use tokio::sync::mpsc::channel;
    use tokio::task::spawn_local;

    round_trips!(channel, [mut], Some, spawn_local, [.expect("the partner ends")]);
}

/// Two tasks of smol hand a number to and fro through two channels.
pub mod smol {
    use smol::channel::bounded;

    round_trips!(bounded, [], Ok, smol::spawn, []);
}

/// Two tasks of Glommio hand a number to and fro through two of its channels
/// for tasks of one thread.
#[cfg(target_os = "linux")]
pub mod glommio {
    use glommio::channels::local_channel::new_bounded;
    use glommio::spawn_local;

    round_trips!(new_bounded, [], Some, spawn_local, []);
}

/// Two tasks of Monoio hand a number to and fro through two channels. Monoio
/// has none of its own; `async_channel` is the one that smol has, too.
pub mod monoio {
    use async_channel::bounded;

    round_trips!(bounded, [], Ok, monoio::spawn, []);
}

/// Two tasks of compio hand a number to and fro through two channels. compio
/// has none of its own; `async_channel` is the one that smol has, too.
pub mod compio {
    use async_channel::bounded;
    use compio::runtime::spawn;

    round_trips!(bounded, [], Ok, spawn, [.expect("the partner ends")]);
}
