//! The runtimes that the book measures, each defined once.
//!
//! Each runtime is defined in a file, behind a feature of the same name. The file defines the
//! contender's name, whether tasks may move between threads, how to start the runtime, and the
//! reasons why it may fail to start. The harness and the chapters take these definitions from
//! here. To add a runtime, write its file and list it below.
//!
//! A runtime with several threads is started once per process. A runtime with a single thread
//! gets a dedicated thread, while the caller's thread waits in `block_on`, as it does for the
//! other runtimes. Running directly on the caller's thread would be slower.

#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio", feature = "tokio"))]
mod dedicated;
mod reason;
mod runtime;
mod spawn;
#[cfg(any(feature = "compio", feature = "monoio"))]
mod task_running;

#[cfg(feature = "async-std")]
pub mod async_std;
#[cfg(feature = "compio")]
pub mod compio;
#[cfg(feature = "glommio")]
pub mod glommio;
#[cfg(feature = "monoio")]
pub mod monoio;
#[cfg(feature = "ours")]
pub mod ours;
#[cfg(feature = "rayon")]
pub mod rayon;
#[cfg(all(feature = "monoio", target_os = "linux"))]
pub mod ring_of_monoio;
#[cfg(feature = "smol")]
pub mod smol;
pub mod std_thread;
#[cfg(feature = "tokio")]
pub mod tokio;

#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio"))]
pub use reason::no_ring;
pub use reason::{not_built, panic_message, NOT_BUILT};
pub use runtime::{LocalRuntime, LocalTask, Runtime, Task};
pub use spawn::Spawn;

/// The enabled runtimes whose tasks may move between threads.
pub const MOVING: &[Runtime] = &[
    #[cfg(feature = "tokio")]
    tokio::MULTI_THREAD,
    #[cfg(feature = "tokio")]
    tokio::CURRENT_THREAD,
    #[cfg(feature = "smol")]
    smol::GLOBAL,
    #[cfg(feature = "async-std")]
    async_std::GLOBAL,
    #[cfg(feature = "ours")]
    ours::PINNED,
    #[cfg(feature = "ours")]
    ours::STEALING,
];

/// The enabled runtimes whose tasks stay on one thread.
pub const LOCAL: &[LocalRuntime] = &[
    #[cfg(feature = "tokio")]
    tokio::LOCAL_SET,
    #[cfg(feature = "monoio")]
    monoio::EPOLL,
    #[cfg(feature = "monoio")]
    monoio::IO_URING,
    #[cfg(feature = "glommio")]
    glommio::UNBOUND,
    #[cfg(feature = "compio")]
    compio::DEFAULT,
];
