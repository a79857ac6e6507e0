//! The servers, on runtimes or without one, with their io_uring set up in
//! several ways.

use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::process;
use std::sync::atomic::AtomicU64;

use io_uring::IoUring;
use runtimes::{no_ring, LocalRuntime};

use crate::multishot;
use crate::say::announce;
use thread_per_core::listings::echo;
use thread_per_core::serve::Interface::{self, Epoll, IoUring as Ring};

type Accepted = &'static AtomicU64;

/// A server on a runtime, or without one, whose io_uring is set up in one of
/// several ways.
pub struct Arm {
    /// The name of the server's runtime, or `baseline` for a server without
    /// one.
    pub contender: &'static str,
    /// The kernel interface that the server uses to wait for its connections.
    pub interface: Interface,
    /// The name of the ring's set-up, as used in the parameter `ring` of the
    /// results.
    pub ring: &'static str,
    /// Serves forever on the calling thread. Returns only if the server can't
    /// go on, with the reason.
    pub(crate) run: fn(TcpListener, Accepted) -> Result<(), String>,
}

impl Arm {
    /// Returns the server's name, which consists of the runtime's name and
    /// the name of its ring's set-up.
    pub fn name(&self) -> String {
        format!("{}, {}", self.contender, self.ring)
    }
}

const AS_IT_COMES: &str = "as it comes";
const COOPERATIVE: &str = "cooperative";
const DEFERRED: &str = "deferred";

/// The number of entries of the ring in a server without a runtime. It is the
/// default of Monoio and compio.
const ENTRIES: u32 = 1024;

/// Returns all servers that differ in the set-up of their ring.
pub fn arms() -> &'static [Arm] {
    ARMS
}

const fn arm(
    (contender, interface, ring): (&'static str, Interface, &'static str),
    run: fn(TcpListener, Accepted) -> Result<(), String>,
) -> Arm {
    Arm { contender, interface, ring, run }
}

static ARMS: &[Arm] = &[
    arm(("baseline", Epoll, "none"), |listener, accepted| {
        announce(&listener);
        echo::epoll::serve(&listener, accepted).map_err(|e| e.to_string())
    }),
    arm(("baseline", Ring, AS_IT_COMES), |listener, accepted| {
        bare(as_it_comes(), &listener, accepted)
    }),
    arm(("baseline", Ring, COOPERATIVE), |listener, accepted| {
        let mut own = IoUring::builder();
        own.setup_single_issuer().setup_coop_taskrun();
        bare(own.build(ENTRIES), &listener, accepted)
    }),
    arm(("baseline", Ring, DEFERRED), |listener, accepted| {
        bare(deferred(), &listener, accepted)
    }),
    arm(("baseline", Ring, "multishot"), |listener, accepted| {
        let ring = deferred().map_err(no_ring)?;
        announce(&listener);
        multishot::serve(ring, &listener, accepted).map_err(|e| e.to_string())
    }),
    arm(("monoio epoll", Epoll, "none"), |listener, accepted| {
        listener.set_nonblocking(true).map_err(|e| e.to_string())?;
        monoio(runtimes::monoio::EPOLL, listener, accepted)
    }),
    arm(("monoio io_uring", Ring, AS_IT_COMES), |listener, accepted| {
        monoio(runtimes::monoio::IO_URING, listener, accepted)
    }),
    arm(("monoio io_uring", Ring, COOPERATIVE), |listener, accepted| {
        monoio(runtimes::monoio::IO_URING_COOPERATIVE, listener, accepted)
    }),
    arm(("monoio io_uring", Ring, DEFERRED), |listener, accepted| {
        monoio(runtimes::monoio::IO_URING_DEFERRED, listener, accepted)
    }),
    arm(("compio", Ring, AS_IT_COMES), |listener, accepted| {
        compio(runtimes::compio::DEFAULT, listener, accepted)
    }),
    arm(("compio", Ring, COOPERATIVE), |listener, accepted| {
        compio(runtimes::compio::COOPERATIVE, listener, accepted)
    }),
    arm(("compio", Ring, DEFERRED), |listener, accepted| {
        compio(runtimes::compio::DEFERRED, listener, accepted)
    }),
    arm(("glommio", Ring, AS_IT_COMES), glommio),
];

pub(crate) fn as_it_comes() -> io::Result<IoUring> {
    IoUring::new(ENTRIES)
}

pub(crate) fn deferred() -> io::Result<IoUring> {
    let mut own = IoUring::builder();
    own.setup_single_issuer().setup_defer_taskrun();
    own.build(ENTRIES)
}

fn bare(
    ring: io::Result<IoUring>,
    listener: &TcpListener,
    accepted: Accepted,
) -> Result<(), String> {
    let ring = ring.map_err(no_ring)?;
    announce(listener);
    echo::io_uring::serve(ring, listener, accepted).map_err(|e| e.to_string())
}

fn monoio(
    runtime: LocalRuntime,
    listener: TcpListener,
    accepted: Accepted,
) -> Result<(), String> {
    run_on(runtime, move || async move {
        announce(&listener);
        let listener = monoio::net::TcpListener::from_std(listener);
        echo::monoio::serve(listener.unwrap_or_else(end), accepted).await;
    })
}

fn compio(
    runtime: LocalRuntime,
    listener: TcpListener,
    accepted: Accepted,
) -> Result<(), String> {
    run_on(runtime, move || async move {
        announce(&listener);
        let listener = compio::net::TcpListener::from_std(listener);
        echo::compio::serve(listener.unwrap_or_else(end), accepted).await;
    })
}

/// Serves on Glommio, which creates its rings itself and has no options for
/// them.
fn glommio(listener: TcpListener, accepted: Accepted) -> Result<(), String> {
    // Tries to create a ring first, to return an error if that fails. Glommio
    // would panic.
    as_it_comes().map_err(no_ring)?;
    run_on(runtimes::glommio::UNBOUND, move || async move {
        announce(&listener);
        // SAFETY: the descriptor is a listening socket, and nothing else owns
        // it any more.
        let listener = unsafe {
            glommio::net::TcpListener::from_raw_fd(listener.into_raw_fd())
        };
        echo::glommio::serve(listener, accepted).await;
    })
}

/// Runs a server forever. Returns only if the runtime can't start, with the
/// reason.
fn run_on<Serving>(
    runtime: LocalRuntime,
    serve: impl FnOnce() -> Serving + Send + 'static,
) -> Result<(), String>
where
    Serving: Future<Output = ()> + 'static,
{
    runtime.start()?;
    runtime.run(Box::new(|| Box::pin(serve())));
    Ok(())
}

/// Ends the process. Called if a runtime can't take over its listening
/// socket.
fn end<Listener>(error: io::Error) -> Listener {
    eprintln!("ring: it cannot listen: {error}");
    process::exit(1)
}
