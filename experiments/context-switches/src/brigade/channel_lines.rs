//! Lines of threads or tasks that pass a byte on through channels, so the
//! byte never leaves the process. There is one module per runtime, except
//! that the line of Tokio tasks is among the
//! [`listings`](crate::listings::brigade).

/// For comparison, one thread does every send and every receive of a line.
/// This measures the cost of the transport without the cost of switching.
pub mod one_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

    /// The two channel ends that belong to one thread or task in the other
    /// lines: one to receive from, one to send to.
    type Unit = (Receiver<u8>, SyncSender<u8>);

    /// The two ends of the line, and the senders and receivers of all the
    /// channels that connect them.
    pub struct Line {
        first: SyncSender<u8>,
        last: Receiver<u8>,
        units: Vec<Unit>,
    }

    impl Line {
        /// Creates the channels of a line with `units` threads or tasks.
        pub fn new(units: u64) -> Line {
            let (first, mut last) = sync_channel(1);
            let mut hops = Vec::new();
            for _ in 0..units {
                let (to, next) = sync_channel(1);
                hops.push((std::mem::replace(&mut last, next), to));
            }
            Line { first, last, units: hops }
        }

        /// Sends `byte` through the line. Returns the byte that arrives at
        /// its end, or `None` if the line has broken.
        pub fn pass(&mut self, byte: u8) -> Option<u8> {
            self.first.send(byte).ok()?;
            for (from, to) in &self.units {
                to.send(from.recv().ok()?.wrapping_add(1)).ok()?;
            }
            self.last.recv().ok()
        }
    }
}

/// A line of threads connected by channels of the standard library with room
/// for one message.
pub mod std_thread {
    use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
    use std::thread::{self, JoinHandle};

    /// A thread of the line: adds one to each message and passes it on, until
    /// the channel is closed. The message therefore counts the threads that
    /// it has passed through.
    pub fn unit(from: Receiver<u8>, to: SyncSender<u8>) {
        for byte in from {
            to.send(byte.wrapping_add(1)).expect("the line has two ends");
        }
    }

    /// A line of threads: its two ends, and the threads between them.
    pub struct Line {
        first: SyncSender<u8>,
        last: Receiver<u8>,
        units: Vec<JoinHandle<()>>,
    }

    impl Line {
        /// Creates a line of `units` threads.
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

        /// Sends `byte` through the line. Returns the byte that arrives at
        /// its end, or `None` if the line has broken.
        pub fn pass(&mut self, byte: u8) -> Option<u8> {
            self.first.send(byte).ok()?;
            self.last.recv().ok()
        }

        /// Closes the first end of the line, so that the threads end one
        /// after the other, and waits for all of them.
        pub fn end(self) -> thread::Result<()> {
            drop(self.first);
            self.units.into_iter().try_for_each(JoinHandle::join)
        }
    }
}

/// Defines a line of tasks. The arguments are the types of the two ends of a
/// channel, how to create a channel, the variant of a receiver's result that
/// holds a byte, how to turn that result into an `Option`, the type of task
/// handles, how to spawn, and how to handle a task's result.
macro_rules! line_of_tasks {
    (
        ($receiver:ty, $sender:ty) = $channel:path, $received:ident [$($option:tt)*];
        $task:ty = $spawn:path, [$($joined:tt)*]
    ) => {
        /// A task of the line: adds one to each message and passes it on,
        /// until the channel is closed. The message therefore counts the
        /// tasks that it has passed through.
        pub async fn unit(from: $receiver, to: $sender) {
            while let $received(byte) = from.recv().await {
                to.send(byte.wrapping_add(1)).await.expect("the line has two ends");
            }
        }

        /// A line of tasks: its two ends, and the tasks between them.
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

            /// Sends `byte` through the line. Returns the byte that arrives
            /// at its end, or `None` if the line has broken.
            pub async fn pass(&mut self, byte: u8) -> Option<u8> {
                self.first.send(byte).await.ok()?;
                self.last.recv().await $($option)*
            }

            /// Closes the first end of the line, so that the tasks end one
            /// after the other, and waits for all of them.
            pub async fn end(self) {
                drop(self.first);
                for unit in self.units {
                    unit.await $($joined)*;
                }
            }
        }
    };
}

/// A line of smol tasks connected by smol's channels with room for one
/// message. The kernel takes no part in passing a byte on.
pub mod smol {
    use smol::channel::{bounded, Receiver, Sender};
    use smol::Task;

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        Task<()> = smol::spawn, []
    }
}

/// A line of Monoio tasks connected by channels with room for one message.
/// Monoio has no channels of its own, so these are from `async_channel`, like
/// smol's.
pub mod monoio {
    use async_channel::{bounded, Receiver, Sender};
    use monoio::task::JoinHandle;

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        JoinHandle<()> = monoio::spawn, []
    }
}

/// A line of Glommio tasks. They are connected by Glommio's channels between
/// tasks of one thread, which have room for one message and need no atomics.
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

/// A line of compio tasks connected by channels with room for one message.
/// compio has no channels of its own, so these are from `async_channel`, like
/// smol's.
pub mod compio {
    use async_channel::{bounded, Receiver, Sender};
    use compio::runtime::{spawn, JoinHandle};

    line_of_tasks! {
        (Receiver<u8>, Sender<u8>) = bounded, Ok[.ok()];
        JoinHandle<()> = spawn, [.expect("it does not panic")]
    }
}
