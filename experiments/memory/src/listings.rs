//! What the page shows: what an idle unit does.

pub mod idle_task;
pub mod idle_thread;
