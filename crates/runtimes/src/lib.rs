//! The runtimes that the book measures, each once.
//!
//! A runtime is a file of its own, behind a feature of its name: what it is called as a contender,
//! whether its tasks may move between threads, how it is started, and why it cannot be where it cannot.
//! The harness and the chapters learn all of that here. To add one, write its file and name it below.
//!
//! A runtime with several threads is started once in a process. One with a single thread gets a
//! dedicated one, which is not the caller's: that one also serves as `block_on`'s
//! for others, and on it such runtimes are slower.

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
pub use reason::{not_built, NOT_BUILT};
pub use runtime::{LocalRuntime, LocalTask, Runtime, Task};
pub use spawn::Spawn;

/// Those whose tasks may move between threads, of the features that are on.
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

/// Those whose tasks stay on their thread, of the features that are on.
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
