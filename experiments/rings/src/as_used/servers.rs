//! The servers of experiment `as-used`, which differ in how they receive and
//! in how their ring is set up.

use std::future::Future;
use std::num::NonZero;

use compio::driver::ProactorBuilder;
use compio::runtime::RuntimeBuilder;
use io_uring::IoUring;
use runtimes::no_ring;
use thread_per_core::listings::echo;
use thread_per_core::server_process::{Place, Serves};

mod managed;
mod multi;

use crate::multishot;

type Outcome = Result<(), String>;

/// The number of entries of a ring: compio's default.
const ENTRIES: u32 = 1024;

/// The number of buffers that compio's ring provides. The default is 8; with
/// more buffers than connections, no connection waits for one.
const BUFFERS: NonZero<u16> = NonZero::new(256).expect("it is not 0");

/// The length of each buffer that compio's ring provides, in bytes. The other
/// servers' buffers have the same length.
const BUFFER_BYTES: usize = 16 * 1024;

/// How long the kernel thread polls for requests before it sleeps, in
/// milliseconds. It is longer than any pause in the experiment.
const IDLE_MS: u32 = 1_000;

/// An echo server, on a runtime or without one, with its way of receiving and
/// the set-up of its ring.
pub struct Server {
    pub(super) contender: &'static str,
    /// The name of the way to receive, as used in the parameter `receives` of
    /// the results.
    pub(super) receives: &'static str,
    /// The name of the ring's set-up, as used in the parameter `ring` of the
    /// results.
    pub(super) ring: &'static str,
    run: fn(Place) -> Outcome,
}

impl Server {
    /// Returns true if this is the server with which the others are compared.
    pub(super) fn is_reference(&self) -> bool {
        self.contender == "compio" && self.receives == ONE
    }
}

impl Serves for Server {
    fn name(&self) -> String {
        format!("{}, {}, {}", self.contender, self.receives, self.ring)
    }

    fn has_workers(&self) -> bool {
        false
    }

    fn is_pinned(&self) -> bool {
        true
    }

    fn serve(&self, place: Place) -> Outcome {
        (self.run)(place)
    }
}

const ONE: &str = "one by one";
const PROVIDED: &str = "into provided buffers";
const MULTISHOT: &str = "multishot";

const fn server(
    contender: &'static str,
    receives: &'static str,
    ring: &'static str,
    run: fn(Place) -> Outcome,
) -> Server {
    Server { contender, receives, ring, run }
}

/// All servers of experiment `as-used`.
pub static SERVERS: &[Server] = &[
    server("baseline", ONE, "cooperative", |place| {
        let mut ring = IoUring::builder();
        ring.setup_single_issuer().setup_coop_taskrun();
        bare(&ring, place)
    }),
    server("baseline", ONE, "deferred", |place| bare(&deferred(), place)),
    server("baseline", MULTISHOT, "deferred", |place| {
        let ring = deferred().build(ENTRIES).map_err(no_ring)?;
        let listener = place.listener()?;
        place.ready();
        let served = multishot::serve(ring, &listener, place.accepted);
        served.map_err(|error| error.to_string())
    }),
    server("baseline", ONE, "polled on its core", |place| {
        let cpu = place.cpu;
        bare(&polled_on(cpu), place)
    }),
    server("baseline", ONE, "polled on the other", |place| {
        // This process may not run on that CPU. The kernel thread may, since
        // it isn't part of the process.
        let cpu = usize::from(place.cpu == 0);
        bare(&polled_on(cpu), place)
    }),
    server("compio", ONE, "cooperative", |place| {
        compio(place, |listener, place| async move {
            echo::compio::serve(listener, place.accepted).await;
        })
    }),
    server("compio", PROVIDED, "cooperative", |place| {
        compio(place, |listener, place| async move {
            managed::serve(listener, place.accepted).await;
        })
    }),
    server("compio", MULTISHOT, "cooperative", |place| {
        compio(place, |listener, place| async move {
            multi::serve(listener, place.accepted).await;
        })
    }),
];

fn deferred() -> io_uring::Builder {
    let mut ring = IoUring::builder();
    ring.setup_single_issuer().setup_defer_taskrun();
    ring
}

/// Returns the builder of a ring whose kernel thread polls for requests on
/// the given CPU.
fn polled_on(cpu: usize) -> io_uring::Builder {
    let mut ring = IoUring::builder();
    ring.setup_sqpoll(IDLE_MS).setup_sqpoll_cpu(cpu as u32);
    ring
}

fn bare(ring: &io_uring::Builder, place: Place) -> Outcome {
    let ring = ring.build(ENTRIES).map_err(no_ring)?;
    let listener = place.listener()?;
    place.ready();
    let served = echo::io_uring::serve(ring, &listener, place.accepted);
    served.map_err(|error| error.to_string())
}

/// Runs a compio server with the set-up that compio's documentation advises
/// (compio-driver-0.12.5/src/lib.rs:712-729).
fn compio<Serving: Future<Output = ()>>(
    place: Place,
    serve: impl FnOnce(compio::net::TcpListener, Place) -> Serving,
) -> Outcome {
    let mut ring = ProactorBuilder::new();
    ring.single_issuer(true).coop_taskrun(true).taskrun_flag(true);
    ring.buffer_pool_size(BUFFERS).buffer_pool_buffer_len(BUFFER_BYTES);
    let mut builder = RuntimeBuilder::new();
    let runtime = builder.with_proactor(ring).build().map_err(no_ring)?;
    runtime.block_on(async {
        let listener = compio::net::TcpListener::from_std(place.listener()?);
        let listener = listener.map_err(|error| error.to_string())?;
        place.ready();
        serve(listener, place).await;
        Ok(())
    })
}
