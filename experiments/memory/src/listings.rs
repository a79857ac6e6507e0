//! The code on the page: idle units, served connections, and the sizes of
//! futures.

pub mod echo_task;
pub mod echo_thread;
pub mod futures;
pub mod idle_task;
pub mod idle_thread;
