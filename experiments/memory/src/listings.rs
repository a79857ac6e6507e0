//! What the page shows: what an idle unit does, how connections are served, and how
//! large futures are.

pub mod echo_task;
pub mod echo_thread;
pub mod futures;
pub mod idle_task;
pub mod idle_thread;
