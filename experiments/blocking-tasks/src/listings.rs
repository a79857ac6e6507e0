//! The code listings of the chapter's page.

pub mod behind_a_semaphore;
pub mod on_rayon;
pub mod watchdog;
