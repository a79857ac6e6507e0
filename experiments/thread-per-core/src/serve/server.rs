//! A server on one of the runtimes, or without a runtime, in one of several
//! variations; and how to start it.

use std::any::Any;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;

use host::cores::pin_this_thread;
use measurement::Parameter;

use super::interface::Interface;
use super::worker::{Event, Site, Worker};
use crate::application_protocol::ApplicationProtocol;

/// The number of runtimes, or event loops, that a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtimes {
    /// The server has no runtime: each connection has a thread.
    None,
    /// The server has one runtime, whose workers share the connections.
    One,
    /// The server has one runtime per core. Each runtime has its own listener
    /// on a shared port (SO_REUSEPORT), and keeps the connections that the
    /// kernel gives it.
    OnePerCore,
}

impl Runtimes {
    /// Returns the number in words, as used in the parameter `runtimes` of
    /// the results.
    pub const fn name(self) -> &'static str {
        match self {
            Runtimes::None => "none",
            Runtimes::One => "one",
            Runtimes::OnePerCore => "one per core",
        }
    }
}

/// A server on one of the runtimes, or without a runtime, in one of several
/// variations.
pub struct Server {
    /// The protocol that the server's clients speak.
    pub protocol: ApplicationProtocol,
    /// The name of the server's runtime, or `baseline` or `std::thread` for a
    /// server without one.
    pub contender: &'static str,
    /// How the server differs from the plain one of the same contender. Empty
    /// for the plain one.
    pub variation: &'static str,
    /// The kernel interface that the server uses to wait.
    pub interface: Interface,
    /// The number of runtimes, or event loops, that the server has.
    pub runtimes: Runtimes,
    /// True if each worker has its own listener. All listeners share one
    /// port.
    pub reuseport: bool,
    /// True if each worker is pinned to a core.
    pub pinned: bool,
    /// Where the server's code comes from: `ours`, or `as published`.
    pub arm: &'static str,
    /// Describes what the server needs in order to run. Empty if it needs
    /// nothing special.
    pub needs: &'static str,
    /// Serves forever on the calling thread. Returns only if the server can't
    /// go on, with the reason.
    pub(crate) run: fn(Worker) -> Result<(), String>,
}

impl Server {
    /// Returns the server's contender and variation, preceded by the protocol
    /// unless it is echo. [`find`](super::find) looks the server up by this
    /// name.
    pub fn name(&self) -> String {
        let protocol = match self.protocol {
            ApplicationProtocol::Echo => "",
            ApplicationProtocol::Http => "http ",
        };
        match self.variation {
            "" => format!("{protocol}{}", self.contender),
            variation => format!("{protocol}{}, {variation}", self.contender),
        }
    }

    /// Returns the number of listeners of a server with `workers` workers.
    pub(crate) fn listeners(&self, workers: usize) -> usize {
        if self.reuseport {
            workers
        } else {
            1
        }
    }

    /// Returns the parameters that describe the server in its results.
    pub fn parameters(&self) -> [(&'static str, Parameter); 5] {
        [
            ("arm", self.arm.into()),
            ("interface", self.interface.name().into()),
            ("runtimes", self.runtimes.name().into()),
            ("reuseport", self.reuseport.into()),
            ("pinned", self.pinned.into()),
        ]
    }

    /// Starts the server's threads, and waits until clients can connect.
    /// Returns the interface that the server uses to wait, and a receiver for
    /// the reason if the server ends.
    ///
    /// # Errors
    ///
    /// If the server cannot be started here. The error is the reason.
    pub(crate) fn start(
        &'static self,
        site: &'static Site,
    ) -> Result<(Interface, mpsc::Receiver<Event>), String> {
        let threads = match self.runtimes {
            Runtimes::None | Runtimes::One => 1,
            Runtimes::OnePerCore => site.workers(),
        };
        let (events, said) = mpsc::channel();
        for place in 0..threads {
            let worker = Worker {
                site,
                place,
                pinned: self.pinned,
                reuseport: self.reuseport,
                interface: self.interface,
                events: events.clone(),
            };
            thread::Builder::new()
                .name(format!("worker {place}"))
                .spawn(move || self.run_on_this_thread(worker))
                .map_err(|error| {
                    format!("no thread can be started: {error}")
                })?;
        }
        let mut interface = self.interface;
        for _ in 0..threads {
            match said.recv().expect("it is held here, too") {
                Event::Ready(by) => interface = by,
                Event::Ended(reason) => return Err(reason),
            }
        }
        Ok((interface, said))
    }

    fn run_on_this_thread(&self, worker: Worker) {
        let events = worker.events.clone();
        let run = AssertUnwindSafe(|| {
            if self.pinned && self.runtimes == Runtimes::OnePerCore {
                pin_this_thread(worker.place)?;
            }
            (self.run)(worker)
        });
        let reason = match catch_unwind(run) {
            Ok(Ok(())) => "it serves no more".to_owned(),
            Ok(Err(reason)) => reason,
            Err(panic) => format!("it panicked: {}", words_of(&*panic)),
        };
        drop(events.send(Event::Ended(reason)));
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let borrowed = || panic.downcast_ref::<&str>().copied();
    owned.or_else(borrowed).unwrap_or("without a word")
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.name()).finish()
    }
}
