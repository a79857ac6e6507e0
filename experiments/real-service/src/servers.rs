//! The servers: each arm is one, in a process of its own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{mpsc, Arc};
use std::thread;

use runtimes::{compio, glommio, monoio, tokio, LocalRuntime};
use serde::{Deserialize, Serialize};
use socket2::{Domain, Protocol, Socket, Type};
use tokio_rustls::TlsAcceptor;

use crate::certificate;
use crate::store::{AskedBy, Blocking, FromTask, Keep, Map};

mod axums;
mod rings;
mod threads;

/// How many connections the kernel makes before the server accepts them.
const BACKLOG: i32 = 1024;

/// A server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arm {
    /// axum on a Tokio with a worker per core.
    Tokio,
    /// axum on a Tokio per core.
    TokioPerCore,
    /// The first, whose handler asks a client that blocks.
    BlockingInTask,
    /// The first, whose handler asks such a client in `spawn_blocking`.
    SpawnBlocking,
    /// A thread for each connection.
    Threads(AskedBy),
    /// The first without HTTP: a fixed answer whenever as many bytes have come.
    Bytes {
        /// How many bytes a request has.
        request: usize,
    },
    /// A runtime per core, with httparse and the map.
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

    /// Says why it cannot run here, if it cannot.
    ///
    /// # Errors
    ///
    /// The reason.
    pub(crate) fn can_run(self) -> Result<(), String> {
        self.runtime().start()
    }
}

impl Arm {
    /// Its name as a contender.
    pub(crate) fn contender(self) -> &'static str {
        match self {
            Arm::Tokio | Arm::BlockingInTask | Arm::Bytes { .. } => {
                "tokio multi-thread"
            }
            Arm::TokioPerCore => "tokio current_thread",
            Arm::SpawnBlocking => "tokio spawn_blocking",
            Arm::Threads(_) => "std::thread",
            Arm::PerCore(local) => local.runtime().name(),
        }
    }

    /// What asks the database.
    pub(crate) fn asked_by(self) -> AskedBy {
        match self {
            Arm::Threads(by) => by,
            Arm::BlockingInTask | Arm::SpawnBlocking => AskedBy::Ours,
            _ => AskedBy::TokioPostgres,
        }
    }
}

/// What a server is to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToServe {
    /// Which one.
    pub arm: Arm,
    /// Where it keeps orders.
    pub keep: Keep,
    /// Whether it speaks TLS.
    pub tls: bool,
    /// Where it listens on this computer; on a free port if it is 0.
    pub port: u16,
}

/// Hears that a listener is there.
#[derive(Clone)]
pub(crate) struct Ready(mpsc::Sender<()>);

impl Ready {
    fn say(&self) {
        // Nobody hears it any more if another one could not be made.
        let _ = self.0.send(());
    }
}

/// A server that runs in this process, until it ends.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) map: Arc<Map>,
    /// Holds the port, so that several listeners can share it.
    _port: Socket,
}

/// Starts a server, and returns when clients can connect.
///
/// # Errors
///
/// Why it cannot serve.
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
    // From here on it ends only if it cannot go on.
    thread::spawn(move || {
        if let Ok(Err(reason)) = serving.join() {
            eprintln!("server: {reason}");
        }
        std::process::exit(1);
    });
    Ok(Serving { address, map, _port: port })
}

/// Serves until it cannot go on.
fn serve(
    what: &ToServe,
    address: SocketAddr,
    map: &Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    let tls = match what.tls {
        true => Some(TlsAcceptor::from(certificate::server()?)),
        false => None,
    };
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
            FromTask::awaiting(directory, share, *patience)
        }
    };
    match what.arm {
        Arm::Tokio => axums::on_all_cores(address, &awaiting, tls, ready),
        Arm::TokioPerCore => {
            axums::on_each_core(address, &awaiting, &tls, ready)
        }
        Arm::BlockingInTask => {
            axums::on_all_cores(address, &in_task, tls, ready)
        }
        Arm::SpawnBlocking => {
            let offloaded = || Ok(FromTask::Offloaded(blocking.clone()));
            axums::on_all_cores(address, &offloaded, tls, ready)
        }
        Arm::Threads(_) => threads::serve(address, &blocking, ready),
        Arm::Bytes { request } => {
            axums::bytes_on_all_cores(address, request, ready)
        }
        Arm::PerCore(local) => {
            rings::serve(local.runtime(), address, map, ready)
        }
    }
}

/// Does the same on a thread for each core, until one of them ends.
fn on_each_core(
    serve: impl Fn() -> Result<(), String> + Sync,
) -> Result<(), String> {
    let (ended, end) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..harness::core_count() {
            let (ended, serve) = (ended.clone(), &serve);
            scope.spawn(move || drop(ended.send(serve())));
        }
        let first = end.recv().unwrap_or(Ok(()));
        // The others would go on for ever.
        if let Err(reason) = &first {
            eprintln!("server: {reason}");
            std::process::exit(1);
        }
        first
    })
}

/// A listener that shares its port with those of other threads.
fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    let listen = || {
        let socket = shared_socket()?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Ok(socket.into())
    };
    listen().map_err(|error: io::Error| format!("{address}: {error}"))
}

/// Holds a port for such listeners that nobody else has.
fn hold(port: u16) -> io::Result<(Socket, SocketAddr)> {
    let held = shared_socket()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    held.bind(&address.into())?;
    // Only now: else it would share a port with whoever has it.
    held.set_reuse_port(true)?;
    let address = held.local_addr()?.as_socket();
    Ok((held, address.expect("it was bound to such an address")))
}

fn shared_socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    Ok(socket)
}
