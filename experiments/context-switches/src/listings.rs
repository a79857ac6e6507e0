//! The code on the chapter's page, one file per contender. Each file compiles
//! alone.

/// Two Tokio runtimes whose tasks pass a number back and forth.
pub mod across {
    pub mod two_runtimes;
}

/// Lines of threads or tasks that pass a byte on. They are connected by
/// socket pairs, unless the module's name says otherwise.
#[cfg(unix)]
pub mod brigade {
    pub mod compio;
    #[cfg(target_os = "linux")]
    pub mod glommio;
    pub mod monoio;
    pub mod one_thread;
    pub mod park;
    pub mod smol;
    pub mod std_thread;
    pub mod tokio;
    pub mod tokio_channel;
}
