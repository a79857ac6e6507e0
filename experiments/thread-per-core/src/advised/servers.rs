//! The servers of experiment `advised`: each runtime, set up in several ways.

use std::time::Duration;

use compio::driver::ProactorBuilder;
use glommio::{LocalExecutorBuilder, Placement};
use io_uring::IoUring;
use monoio::{LegacyDriver, RuntimeBuilder};
use runtimes::ring_of_monoio::{self, Completions};
use runtimes::{no_ring, not_built};
use tokio::runtime::{Builder, Runtime};

use crate::listings::echo;
use crate::server_process::{Place, Serves};

type Outcome = Result<(), String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetUp {
    Default,
    /// As the runtime's authors advise: a ring for one thread whose
    /// completions don't interrupt that thread (`COOP_TASKRUN`), as the
    /// documentation of compio (compio-driver-0.12.5/src/lib.rs:712) and of
    /// io-uring (io-uring-0.7.15/src/lib.rs:420) advises, and a core for each
    /// thread (monoio-0.2.4/src/utils/bind_to_cpu_set.rs,
    /// glommio-0.9.0/src/lib.rs:40). For a runtime without a ring and without
    /// such advice, the defaults.
    Advised,
    /// Like [`SetUp::Advised`], but completions wait until the thread asks
    /// for them (`DEFER_TASKRUN`).
    Deferred,
    /// Like [`SetUp::Advised`], but the thread spins before it sleeps, as in
    /// Glommio's own benchmark (glommio-0.9.0/benches/sharding.rs:39).
    Spins,
}

impl SetUp {
    pub(super) const fn name(self) -> &'static str {
        match self {
            SetUp::Default => "defaults",
            SetUp::Advised => "as advised",
            SetUp::Deferred => "deferred",
            SetUp::Spins => "spins",
        }
    }
}

/// The number of entries of a ring's submission queue: the default of Monoio
/// and compio. The completion queue has twice as many.
pub(super) const ENTRIES: u32 = 1_024;

/// A number of ring entries that exceeds the number of connections.
const MORE_ENTRIES: u32 = 16_384;

/// How long a thread spins before it sleeps, as in Glommio's own benchmark.
const SPIN: Duration = Duration::from_millis(10);

/// An echo server on a runtime, or without one, with one of several set-ups.
pub(crate) struct Server {
    pub(super) contender: &'static str,
    pub(super) interface: &'static str,
    pub(super) set_up: SetUp,
    pub(super) entries: u32,
    run: fn(&Server, Place) -> Outcome,
}

impl Serves for Server {
    fn name(&self) -> String {
        let Server { contender, interface, set_up, entries, .. } = self;
        let set_up = set_up.name();
        format!("{contender}, {interface}, {set_up}, {entries} entries")
    }

    fn has_workers(&self) -> bool {
        self.contender == "tokio multi-thread"
    }

    fn is_pinned(&self) -> bool {
        // Glommio pins its threads itself.
        self.set_up != SetUp::Default && self.contender != "glommio"
    }

    fn serve(&self, place: Place) -> Outcome {
        (self.run)(self, place)
    }
}

const fn server(
    (contender, interface): (&'static str, &'static str),
    set_up: SetUp,
    run: fn(&Server, Place) -> Outcome,
) -> Server {
    Server { contender, interface, set_up, entries: ENTRIES, run }
}

const fn with_room(server: Server) -> Server {
    Server { entries: MORE_ENTRIES, ..server }
}

const BARE: (&str, &str) = ("baseline", "io_uring");
const MONOIO: (&str, &str) = ("monoio io_uring", "io_uring");
const COMPIO: (&str, &str) = ("compio", "io_uring");
const GLOMMIO: (&str, &str) = ("glommio", "io_uring");

pub(crate) static SERVERS: &[Server] = &[
    server(("baseline", "epoll"), SetUp::Default, epoll),
    server(BARE, SetUp::Default, bare),
    server(BARE, SetUp::Advised, bare),
    server(BARE, SetUp::Deferred, bare),
    with_room(server(BARE, SetUp::Advised, bare)),
    server(("tokio multi-thread", "epoll"), SetUp::Default, tokio_workers),
    server(("tokio current_thread", "epoll"), SetUp::Default, tokio_one_thread),
    server(("monoio epoll", "epoll"), SetUp::Default, monoio_epoll),
    server(("monoio epoll", "epoll"), SetUp::Advised, monoio_epoll),
    server(MONOIO, SetUp::Default, monoio),
    server(MONOIO, SetUp::Advised, monoio),
    server(MONOIO, SetUp::Deferred, monoio),
    with_room(server(MONOIO, SetUp::Advised, monoio)),
    server(COMPIO, SetUp::Default, compio),
    server(COMPIO, SetUp::Advised, compio),
    server(COMPIO, SetUp::Deferred, compio),
    with_room(server(COMPIO, SetUp::Advised, compio)),
    server(GLOMMIO, SetUp::Default, glommio),
    server(GLOMMIO, SetUp::Advised, glommio),
    server(GLOMMIO, SetUp::Spins, glommio),
];

fn in_words(error: impl ToString) -> String {
    error.to_string()
}

fn epoll(_: &Server, place: Place) -> Outcome {
    let listener = place.listener()?;
    place.ready();
    echo::epoll::serve(&listener, place.accepted).map_err(in_words)
}

/// Runs the io_uring echo server without a runtime, on a ring that is set up
/// as `server` specifies.
fn bare(server: &Server, place: Place) -> Outcome {
    let mut ring = IoUring::builder();
    match server.set_up {
        SetUp::Default => {}
        SetUp::Advised | SetUp::Spins => {
            ring.setup_single_issuer().setup_coop_taskrun();
        }
        SetUp::Deferred => {
            ring.setup_single_issuer().setup_defer_taskrun();
        }
    }
    let ring = ring.build(server.entries).map_err(no_ring)?;
    let listener = place.listener()?;
    place.ready();
    echo::io_uring::serve(ring, &listener, place.accepted).map_err(in_words)
}

/// Runs the server on one Tokio runtime with a worker per core.
fn tokio_workers(_: &Server, place: Place) -> Outcome {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(place.cores);
    on_tokio(&builder.enable_all().build().map_err(not_built)?, place)
}

/// Runs this thread's share of the server on a separate Tokio runtime.
fn tokio_one_thread(_: &Server, place: Place) -> Outcome {
    let mut builder = Builder::new_current_thread();
    on_tokio(&builder.enable_all().build().map_err(not_built)?, place)
}

fn on_tokio(runtime: &Runtime, place: Place) -> Outcome {
    let served = runtime.spawn(async move {
        let listener = place.listener()?;
        listener.set_nonblocking(true).map_err(in_words)?;
        let listener =
            tokio::net::TcpListener::from_std(listener).map_err(in_words)?;
        place.ready();
        echo::tokio::serve(listener, place.accepted).await;
        Ok(())
    });
    runtime.block_on(served).map_err(in_words)?
}

fn monoio_epoll(_: &Server, place: Place) -> Outcome {
    let builder = RuntimeBuilder::<LegacyDriver>::new().enable_timer();
    let mut runtime = builder.build().map_err(not_built)?;
    let listener = place.listener()?;
    listener.set_nonblocking(true).map_err(in_words)?;
    runtime.block_on(on_monoio(place, listener))
}

fn monoio(server: &Server, place: Place) -> Outcome {
    let completions = match server.set_up {
        SetUp::Default => Completions::Interrupt,
        SetUp::Advised | SetUp::Spins => Completions::Cooperate,
        SetUp::Deferred => Completions::Wait,
    };
    let builder = ring_of_monoio::builder(server.entries, completions);
    let mut runtime = builder.enable_timer().build().map_err(no_ring)?;
    let listener = place.listener()?;
    runtime.block_on(on_monoio(place, listener))
}

async fn on_monoio(place: Place, listener: std::net::TcpListener) -> Outcome {
    let listener =
        monoio::net::TcpListener::from_std(listener).map_err(in_words)?;
    place.ready();
    echo::monoio::serve(listener, place.accepted).await;
    Ok(())
}

fn compio(server: &Server, place: Place) -> Outcome {
    let mut ring = ProactorBuilder::new();
    ring.capacity(server.entries);
    match server.set_up {
        SetUp::Default => {}
        SetUp::Advised | SetUp::Spins => {
            ring.single_issuer(true).coop_taskrun(true).taskrun_flag(true);
        }
        SetUp::Deferred => {
            ring.single_issuer(true).defer_taskrun(true);
        }
    }
    let mut builder = compio::runtime::RuntimeBuilder::new();
    let runtime = builder.with_proactor(ring).build().map_err(no_ring)?;
    runtime.block_on(async {
        let listener = compio::net::TcpListener::from_std(place.listener()?);
        let listener = listener.map_err(in_words)?;
        place.ready();
        echo::compio::serve(listener, place.accepted).await;
        Ok(())
    })
}

fn glommio(server: &Server, place: Place) -> Outcome {
    // Tries to create a ring first, to return an error if that fails. Glommio
    // would panic.
    IoUring::new(8).map_err(no_ring)?;
    let builder = match server.set_up {
        SetUp::Default => LocalExecutorBuilder::new(Placement::Unbound),
        _ => LocalExecutorBuilder::new(Placement::Fixed(place.cpu)),
    };
    let builder = match server.set_up {
        SetUp::Spins => builder.spin_before_park(SPIN),
        _ => builder,
    };
    let executor = builder.make().map_err(no_ring)?;
    executor.run(async {
        // Glommio's listeners always set SO_REUSEPORT, so they share the
        // port.
        let listener = glommio::net::TcpListener::bind(place.address);
        let listener = listener.map_err(in_words)?;
        place.ready();
        echo::glommio::serve(listener, place.accepted).await;
        Ok(())
    })
}
