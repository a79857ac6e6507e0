//! The code that the chapter's page shows, one file per runtime.

/// Echo servers: each writes back what it reads, until the client closes its
/// connection.
pub mod echo {
    pub mod compio;
    #[cfg(target_os = "linux")]
    pub mod epoll;
    #[cfg(target_os = "linux")]
    pub mod glommio;
    #[cfg(target_os = "linux")]
    pub mod io_uring;
    pub mod listen;
    pub mod monoio;
    #[cfg(target_os = "linux")]
    pub mod monoio_as_published;
    pub mod ours;
    pub mod smol;
    pub mod std_thread;
    pub mod tokio;
    pub mod tokio_as_published;
    pub mod tokio_local_set;
}

/// Minimal HTTP servers: each answers `Hello, world!` to every request.
pub mod http {
    pub mod answer;
    pub mod compio;
    pub mod hyper;
    pub mod monoio;
    pub mod ours;
    pub mod smol;
    pub mod std_thread;
    pub mod tokio;
}
