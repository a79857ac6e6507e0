//! The kinds of servers that are compared. Each runs in a separate process.

use std::net::SocketAddr;
use std::sync::{mpsc, Arc};
use std::thread;

use runtimes::{compio, glommio, monoio, tokio, LocalRuntime};
use serde::{Deserialize, Serialize};
use socket2::Socket;
use tokio_rustls::TlsAcceptor;

use crate::certificate;
use crate::listener::{hold, Ready};
use crate::store::{self, AskedBy, Blocking, FromTask, Keep, Map};

mod axums;
mod rings;
mod threads;

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arm {
    /// axum on one Tokio runtime with one worker per core.
    Tokio,
    /// axum on one Tokio runtime per core.
    TokioPerCore,
    /// axum on one Tokio runtime, which sends one statement to the database
    /// per order instead of four.
    TokioAtOnce,
    /// axum on one Tokio runtime, whose handler calls a blocking database
    /// client.
    BlockingInTask,
    /// axum on one Tokio runtime, whose handler calls a blocking database
    /// client in `spawn_blocking`.
    SpawnBlocking,
    /// One thread per connection, with a blocking database client.
    Threads(AskedBy),
    /// One Tokio runtime without HTTP. The server sends a fixed answer each
    /// time `request` bytes have arrived.
    Bytes {
        /// The length of a request, in bytes.
        request: usize,
    },
    /// One single-threaded runtime per core, with httparse instead of axum,
    /// and the map instead of the database.
    PerCore(Local),
}

/// A runtime whose tasks stay on one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Local {
    /// Tokio's `LocalSet`.
    Tokio,
    /// Monoio on epoll.
    MonoioEpoll,
    /// Monoio on io_uring.
    MonoioRing,
    /// Glommio.
    Glommio,
    /// compio.
    Compio,
}

impl Local {
    fn runtime(self) -> LocalRuntime {
        match self {
            Local::Tokio => tokio::LOCAL_SET,
            Local::MonoioEpoll => monoio::EPOLL,
            Local::MonoioRing => monoio::IO_URING,
            Local::Glommio => glommio::UNBOUND,
            Local::Compio => compio::DEFAULT,
        }
    }

    /// Checks that this computer can run the runtime.
    ///
    /// # Errors
    ///
    /// If the runtime can't run, with the reason.
    pub(crate) fn can_run(self) -> Result<(), String> {
        self.runtime().start()
    }
}

impl Arm {
    /// Returns the name of this kind of server as a contender in charts and
    /// tables.
    pub(crate) fn contender(self) -> &'static str {
        match self {
            Arm::Tokio
            | Arm::TokioAtOnce
            | Arm::BlockingInTask
            | Arm::Bytes { .. } => "tokio multi-thread",
            Arm::TokioPerCore => "tokio current_thread",
            Arm::SpawnBlocking => "tokio spawn_blocking",
            Arm::Threads(_) => "std::thread",
            Arm::PerCore(local) => local.runtime().name(),
        }
    }

    /// Returns the client with which this server talks to the database.
    pub(crate) fn asked_by(self) -> AskedBy {
        match self {
            Arm::Threads(by) => by,
            Arm::BlockingInTask | Arm::SpawnBlocking => AskedBy::Ours,
            _ => AskedBy::TokioPostgres,
        }
    }
}

/// The description of a server to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToServe {
    /// The kind of server.
    pub arm: Arm,
    /// Where the server stores orders.
    pub keep: Keep,
    /// True if the server speaks TLS.
    pub tls: bool,
    /// The port on which the server listens; 0 chooses a free one.
    pub port: u16,
}

/// A server that runs in threads of this process, until the process ends.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) map: Arc<Map>,
    /// A socket that reserves the port, so that several listeners can share
    /// it.
    _port: Socket,
}

/// Starts a server in this process, and returns when clients can connect.
///
/// # Errors
///
/// If the server cannot serve, with the reason.
pub(crate) fn start(what: ToServe) -> Result<Serving, String> {
    let (port, address) = hold(what.port)
        .map_err(|error| format!("port {}: {error}", what.port))?;
    let map = Arc::new(Map::new());
    let (ready, said) = mpsc::channel();
    let listeners = match what.arm {
        Arm::TokioPerCore | Arm::PerCore(_) => harness::core_count(),
        _ => 1,
    };
    let serving = {
        let (map, ready) = (Arc::clone(&map), Ready(ready));
        thread::spawn(move || serve(&what, address, &map, &ready))
    };
    for _ in 0..listeners {
        if said.recv().is_err() {
            let ended = serving.join().expect("no server panics");
            return Err(ended.err().unwrap_or("it has ended".to_owned()));
        }
    }
    // The thread serves until the server fails.
    thread::spawn(move || {
        if let Ok(Err(reason)) = serving.join() {
            eprintln!("server: {reason}");
        }
        std::process::exit(1);
    });
    Ok(Serving { address, map, _port: port })
}

/// Serves until the server fails.
fn serve(
    what: &ToServe,
    address: SocketAddr,
    map: &Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    let certificate =
        if what.tls { Some(certificate::server()?) } else { None };
    let tls = certificate.clone().map(TlsAcceptor::from);
    let blocking = Blocking::new(&what.keep, what.arm.asked_by(), map);
    let in_task = || Ok(FromTask::InTask(blocking.clone()));
    let per_core = match what.arm {
        Arm::TokioPerCore => harness::core_count(),
        _ => 1,
    };
    let awaiting = || match &what.keep {
        Keep::InMemory => in_task(),
        Keep::InDatabase { directory, pool, patience } => {
            let share = pool.div_ceil(per_core);
            let pool = store::pool(directory, share, *patience)?;
            Ok(match what.arm {
                Arm::TokioAtOnce => FromTask::AwaitingOnce(pool),
                _ => FromTask::Awaiting(pool),
            })
        }
    };
    match what.arm {
        Arm::Tokio | Arm::TokioAtOnce => {
            axums::on_all_cores(address, &awaiting, tls, ready)
        }
        Arm::TokioPerCore => {
            axums::on_one_per_core(address, &awaiting, &tls, ready)
        }
        Arm::BlockingInTask => {
            axums::on_all_cores(address, &in_task, tls, ready)
        }
        Arm::SpawnBlocking => {
            let offloaded = || Ok(FromTask::Offloaded(blocking.clone()));
            axums::on_all_cores(address, &offloaded, tls, ready)
        }
        Arm::Threads(_) => {
            threads::serve(address, &blocking, certificate.as_ref(), ready)
        }
        Arm::Bytes { request } => {
            axums::bytes_on_all_cores(address, request, ready)
        }
        Arm::PerCore(local) => {
            rings::serve(local.runtime(), address, map, ready)
        }
    }
}
