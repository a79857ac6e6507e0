//! The code on the chapter's page: one module per experiment, one file per
//! contender. Each file compiles alone.

/// Channels with many producers and one consumer.
pub mod channels {
    pub mod async_channel;
    pub mod std_mpsc;
    pub mod tokio_mpsc;
}

/// Maps that several threads write to.
pub mod contended {
    pub mod own_map;
}

/// The layout of the counters in memory, and a lock whose waiters spin
/// instead of sleeping.
pub mod locks {
    pub mod layout;
    pub mod spinning;
}

/// Settings that many threads read and one thread changes.
pub mod readers {
    pub mod std_rw_lock;
}

/// Ways to share a configuration that all threads read and that hardly ever
/// changes.
pub mod read_mostly {
    pub mod arc_swap;
    pub mod copies;
    pub mod left_right;
    pub mod watch;
}

/// Maps in which all threads look up values.
pub mod shared_maps {
    pub mod papaya;
    pub mod std_rw_lock;
}

/// Ways to share application state that every request handler reads.
pub mod shared_state {
    pub mod arc_of_all;
    pub mod arc_of_each;
    pub mod borrowed;
}

/// Maps split into shards, one per core.
pub mod sharding {
    #[cfg(target_os = "linux")]
    pub mod glommio_shards;
    pub mod tokio_shards;
}
