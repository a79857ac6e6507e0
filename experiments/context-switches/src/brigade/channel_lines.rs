//! Lines over channels, which stay in the process: a contender a module. That of
//! Tokio is among the [`listings`](crate::listings::brigade).

/// No units at all: one thread does every send and every receive of a line of
/// channels. What is left is the transport, without a switch.
pub mod one_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

    /// What would be a unit's: where it receives, and where it sends.
    type Unit = (Receiver<u8>, SyncSender<u8>);

    /// Both ends of a line, and what lies between.
    pub struct Line {
        first: SyncSender<u8>,
        last: Receiver<u8>,
        units: Vec<Unit>,
    }

    impl Line {
        /// A line as if it had so many units.
        pub fn new(units: u64) -> Line {
            let (first, mut last) = sync_channel(1);
            let mut hops = Vec::new();
            for _ in 0..units {
                let (to, next) = sync_channel(1);
                hops.push((std::mem::replace(&mut last, next), to));
            }
            Line { first, last, units: hops }
        }

        /// Sends a message through the line. There is none if the line has broken.
        pub fn pass(&mut self, byte: u8) -> Option<u8> {
            self.first.send(byte).ok()?;
            for (from, to) in &self.units {
                to.send(from.recv().ok()?.wrapping_add(1)).ok()?;
            }
            self.last.recv().ok()
        }
    }
}

/// A line of threads over the channels of the standard library, each of which
/// has room for one message.
pub mod std_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
    use std::thread::{self, JoinHandle};

    /// A unit: passes on each message that comes, until none will come any more. It
    /// adds one, so that a message tells how many units it has met.
    pub fn unit(from: Receiver<u8>, to: SyncSender<u8>) {
        for byte in from {
            to.send(byte.wrapping_add(1)).expect("the line has two ends");
        }
    }

    /// A line: both ends and the units.
    pub struct Line {
        first: SyncSender<u8>,
        last: Receiver<u8>,
        units: Vec<JoinHandle<()>>,
    }

    impl Line {
        /// A line of so many units.
        pub fn new(units: u64) -> Line {
            let (first, mut last) = sync_channel(1);
            let mut threads = Vec::new();
            for _ in 0..units {
                let (to, next) = sync_channel(1);
                let from = std::mem::replace(&mut last, next);
                threads.push(thread::spawn(move || unit(from, to)));
            }
            Line { first, last, units: threads }
        }

        /// Sends a message through the line. There is none if the line has broken.
        pub fn pass(&mut self, byte: u8) -> Option<u8> {
            self.first.send(byte).ok()?;
            self.last.recv().ok()
        }

        /// Closes the first end, whereupon the units end one after the other.
        pub fn end(self) -> thread::Result<()> {
            drop(self.first);
            self.units.into_iter().try_for_each(JoinHandle::join)
        }
    }
}

/// A line of tasks: the two ends of its channels, how one is made, what a receiver
/// gives, and how that becomes an `Option`; its tasks, how they are spawned, and what
/// to do with what one gives.
macro_rules! line_of_tasks {
    (
        ($receiver:ty, $sender:ty) = $channel:path, $received:ident [$($option:tt)*];
        $task:ty = $spawn:path, [$($joined:tt)*]
    ) => {
        /// A unit: passes on each message that comes, until none will come any more. It
        /// adds one, so that a message tells how many units it has met.
        pub async fn unit(from: $receiver, to: $sender) {
            while let $received(byte) = from.recv().await {
                to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
            }
        }

        /// A line: both ends and the units.
        pub struct Line {
            first: $sender,
            last: $receiver,
            units: Vec<$task>,
        }

        impl Line {
            /// Creates a line of `units` tasks on the caller's runtime.
            pub fn new(units: u64) -> Line {
                let (first, mut last) = $channel(1);
                let mut tasks = Vec::new();
                for _ in 0..units {
                    let (to, next) = $channel(1);
                    let from = std::mem::replace(&mut last, next);
                    tasks.push($spawn(unit(from, to)));
                }
                Line { first, last, units: tasks }
            }

            /// Sends a message through the line. There is none if the line has broken.
            pub async fn pass(&mut self, byte: u8) -> Option<u8> {
                self.first.send(byte).await.ok()?;
                self.last.recv().await $($option)*
            }

            /// Closes the first end, whereupon the units end one after the
            /// other.
            pub async fn end(self) {
                drop(self.first);
                for unit in self.units {
                    unit.await $($joined)*;
                }
            }
        }
    };
}

/// A line of smol tasks over smol's channels, each of which has room for one
/// message. The kernel knows nothing of them.
pub mod smol {
    use smol::channel::{bounded, Receiver, Sender};
    use smol::Task;

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        Task<()> = smol::spawn, []
    }
}

/// A line of Monoio tasks over channels, each of which has room for one message.
/// Monoio has none of its own; `async_channel` is the one that smol has, too.
pub mod monoio {
    use async_channel::{bounded, Receiver, Sender};
    use monoio::task::JoinHandle;

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        JoinHandle<()> = monoio::spawn, []
    }
}

/// A line of Glommio tasks over Glommio's channels for tasks of one thread, each
/// of which has room for one message. They need no atomics.
#[cfg(target_os = "linux")]
pub mod glommio {
    use glommio::channels::local_channel::{
        new_bounded, LocalReceiver, LocalSender,
    };
    use glommio::{spawn_local, Task};

    line_of_tasks! {
        (LocalReceiver<u8>, LocalSender<u8>) = new_bounded, Some[];
        Task<()> = spawn_local, []
    }
}

/// A line of compio tasks over channels, each of which has room for one message.
/// compio has none of its own; `async_channel` is the one that smol has, too.
pub mod compio {
    use async_channel::{bounded, Receiver, Sender};
    use compio::runtime::{spawn, JoinHandle};

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        JoinHandle<()> = spawn, [.expect("it does not panic")]
    }
}
