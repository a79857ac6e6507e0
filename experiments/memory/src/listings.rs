//! The code on the book's page: idle threads and tasks, served connections,
//! and the sizes of futures.

pub mod echo_task;
pub mod echo_thread;
pub mod futures;
pub mod idle_task;
pub mod idle_thread;
