//! This computer: its hardware and settings, its limits, its other users, and whether it is fit
//! to measure on.
//!
//! | module | knows |
//! |---|---|
//! | [`machine`] | what this computer is, for `machine.json` |
//! | [`fingerprint`] | what only trials show: cores that share something, the travel time of a cache line, clocks |
//! | [`cores`] | the cores that this process may use, and pinning a thread to one |
//! | [`places`] | how far two cores are apart |
//! | [`probe`] | how fast a core computes at this moment |
//! | [`limits`] | what this process's own limits allow |
//! | [`how_many`] | how many threads, tasks or sockets there can be, and what would refuse the next one |
//! | [`rings`] | whether rings of io_uring can be made, and what refuses them |
//! | [`memory`] | how much memory a process has |
//! | [`idle`] | which idle states cores were in, and how often cores interrupted each other |
//! | [`idle_settings`] | what decides how idle cores wait |
//! | [`cpu_use`] | how the CPU time was shared out: this run, others, the hypervisor |
//! | [`quiet`] | waiting until nobody else computes |
//! | [`run_lock`] | one run at a time |
//! | [`mod@cargo`] | starting cargo from a program that cargo has started |
//! | [`mod@say`] | printing to an output that may be closed |
//! | [`doctor`] | whether all that is good for measuring, and how to improve it |
//!
//! All files of the kernel are read through [`kernel_files`], so that a test can substitute a
//! directory of its own. These files exist only on Linux; on other systems, the information is
//! missing.

pub mod cargo;
mod control_groups;
pub mod cores;
pub mod cpu_use;
pub mod doctor;
pub mod fingerprint;
pub mod how_many;
mod hypervisor;
pub mod idle;
pub mod idle_settings;
pub mod kernel_files;
mod kernel_parameters;
pub mod limits;
pub mod machine;
pub mod memory;
pub mod names_for_people;
pub mod places;
pub mod probe;
pub mod processes;
mod processor;
pub mod quiet;
pub mod rings;
pub mod run_lock;
pub mod say;
