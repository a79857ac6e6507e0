//! The file format of measurements, and their statistics.
//!
//! A **run** of a chapter is a header and rows. A **row** is one measured quantity of one cell: one
//! contender at one setting of the parameters. This crate reads and writes them as JSON lines,
//! rejects impossible values, and computes intervals, paired ratios and verdicts. It knows nothing
//! about runtimes or the book.
//!
//! ```
//! use measurement::Run;
//!
//! let text = concat!(
//!     r#"{"run":"2026-11-30T10:12:00Z","machine":"example","chapter":"spawn-cost","experiment":"units","profile":"quick","#,
//!     r#""commit":"0123abc","method":4,"workload":"9f86d081884c7d65","rustc":"1.95.0","crates":{},"#,
//!     r#""load":0.02,"processes":3}"#, "\n",
//!     r#"{"experiment":"units","contender":"rayon","parameters":{"units":1000},"quantity":"time per unit","#,
//!     r#""unit":"ns","estimate":52.0,"low":51.0,"high":53.0,"points":[51,52,53,51,52,53],"source":"criterion"}"#,
//! );
//! let run = Run::parse(text).unwrap();
//! assert_eq!(run.rows[0].contender, "rayon");
//! ```

pub mod cargo_lock;
mod combined;
mod ensure;
mod estimate;
mod evidence;
mod fingerprint;
mod gather;
mod held_out;
mod idle;
pub mod interval;
pub mod json_lines;
mod line_error;
pub mod machine;
mod measured;
pub mod name_check;
pub mod named_machine;
pub mod number_format;
mod parameter;
mod quantity;
mod row;
mod run;
mod run_header;
mod scattered;
pub mod staleness;
pub mod statistics;
mod unique_keys;
mod unit;
mod verdict;
pub mod workload;

pub use combined::{Combined, EvidenceRow};
pub use estimate::Estimate;
pub use evidence::{Evidence, NoRatio, Pools};
pub use fingerprint::Fingerprint;
pub use held_out::{HeldOut, Tried};
pub use line_error::{shortened, LineError};
pub use measured::{Fit, Measured, Source, Visits, Window};
pub use parameter::{Parameter, Parameters};
pub use quantity::{is_share, unit_of};
pub use row::{Outcome, Row};
pub use run::Run;
pub use run_header::{is_disturbed, Profile, RoundLog, RunHeader};
pub use scattered::Scattered;
pub use statistics::Interval;
pub use unit::Unit;
pub use verdict::{Predicate, Verdict};

/// The version number of the measuring method. Raise it when a change to the harness, to the
/// release profile or to a dependency's features could change a time: older data are then marked
/// as stale. A test of the harness compares the measuring code with `method.lock` to detect
/// changes.
pub const METHOD: u32 = 4;
