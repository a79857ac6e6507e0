//! The code that the page shows.

pub mod behind_a_semaphore;
pub mod on_rayon;
pub mod watchdog;
