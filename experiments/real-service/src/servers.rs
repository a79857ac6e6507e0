//! The servers. Each arm is a server in a separate process.

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

/// A server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arm {
    /// axum on one Tokio runtime with a worker per core.
    Tokio,
    /// axum on a Tokio runtime per core.
    TokioPerCore,
    /// axum on one Tokio runtime, asking the database once per order instead
    /// of four times.
    TokioAtOnce,
    /// axum on one Tokio runtime, with a blocking client in the handler.
    BlockingInTask,
    /// axum on one Tokio runtime, with a blocking client in `spawn_blocking`.
    SpawnBlocking,
    /// One thread per connection.
    Threads(AskedBy),
    /// One Tokio runtime without HTTP, which sends a fixed answer each time
    /// `request` bytes have arrived.
    Bytes {
        /// The length of a request in bytes.
        request: usize,
    },
    /// One runtime per core, with httparse and the map.
    PerCore(Local),
}

/// A runtime whose tasks stay on their thread.
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

    /// Checks that the runtime can run here.
    ///
    /// # Errors
    ///
    /// If the runtime can't run, with the reason.
    pub(crate) fn can_run(self) -> Result<(), String> {
        self.runtime().start()
    }
}

impl Arm {
    /// Returns the arm's name as a contender.
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

    /// Returns the arm's client of the database.
    pub(crate) fn asked_by(self) -> AskedBy {
        match self {
            Arm::Threads(by) => by,
            Arm::BlockingInTask | Arm::SpawnBlocking => AskedBy::Ours,
            _ => AskedBy::TokioPostgres,
        }
    }
}

/// A server to start: the arm, its store, and how clients connect.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToServe {
    /// The server.
    pub arm: Arm,
    /// Where the server stores orders.
    pub keep: Keep,
    /// True if the server speaks TLS.
    pub tls: bool,
    /// The server's port on this computer; 0 chooses a free one.
    pub port: u16,
}

/// A server that runs in this process, until the process ends.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) map: Arc<Map>,
    /// The socket that holds the port, so that several listeners can share
    /// the port.
    _port: Socket,
}

/// Starts a server, and returns when clients can connect.
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
    // From here on, the server ends only if it fails.
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
