//! The code on the chapter's page: one module per experiment, and one file
//! per contender. Each file compiles on its own.

/// Functions that insert into a map and look up a value. Some maps can be
/// changed by several threads, the others only by one.
pub mod maps {
    pub mod as_published;
    pub mod bare;
    pub mod dash_map;
    pub mod one_lock;
    pub mod parking_lot_mutex;
    pub mod ref_cell;
    pub mod std_mutex;
    pub mod std_rw_lock;
}

/// The shop's service, written for tasks that may move between threads and
/// for tasks that stay on one thread.
pub mod request {
    pub mod local;
    pub mod owned;
    pub mod send;
}

/// Other work that a request may need, such as encryption or parsing.
pub mod share_of_request {
    pub mod hash;
    pub mod json;
    pub mod local_types;
    pub mod log_line;
    pub mod send_types;
    pub mod task_switch;
    pub mod thread_switch;
    pub mod tls;
}

/// Functions that serve a connection, one per runtime.
pub mod socket {
    pub mod compio;
    #[cfg(target_os = "linux")]
    pub mod glommio;
    pub mod monoio;
    pub mod tokio;
}

/// Operations on pointers and counters, some safe across threads and some
/// not.
pub mod types {
    pub mod arc;
    pub mod as_published;
    pub mod atomic_fetch_add;
    pub mod atomic_load_store;
    pub mod cell;
    pub mod empty;
    pub mod rc;
    pub mod ref_cell;
    pub mod std_mutex;
}
