//! The harness, which runs and measures the experiments of the book's
//! chapters.
//!
//! A chapter's package lists its [`Experiment`]s once, as cells; its `main` and
//! its bench both pass them to [`main`], which gives `cargo run`, `cargo bench`
//! and `cargo book measure` the same run:
//!
//! - the parent process first finds out how many operations fill a sample, then
//!   starts one child process after the other, each with another build of the
//!   program;
//! - each child does several rounds: it visits the groups of cells in a
//!   shuffled order, and the cells of each group there and back
//!   ([`Cell::group`]), one of them twice, as its own twin;
//! - a visit makes one point of each of the cell's rows, with a probe of the
//!   core's speed at that moment. There are three kinds: *timed*, a criterion
//!   run, whose median is the point ([`Cell::new`]); a *window* of some
//!   seconds, in which a server or a load answers requests ([`Cell::window`]);
//!   or a reading taken *once* in a separate process, such as memory and limits
//!   ([`Cell::once`], and [`Cell::fitted`] for the amount that a unit adds).
//!   Studies of measuring itself take readings in the process of the rounds
//!   ([`Cell::readings`]);
//! - counters ([`Counter`]) follow in separate children.
//!
//! `--record` records operations instead of measuring: see [`RecordingPlan`].
//!
//! If other programs kept the machine busy during a visit to a group, the
//! group is visited again. If a child hangs, aborts or is killed, only the
//! cell that it was visiting fails, never the run.
//!
//! ```no_run
//! use harness::{Body, Cell, Chapter, Experiment};
//!
//! fn sum() -> Experiment {
//!     let iterator = || (0..1000u64).sum::<u64>();
//!     let formula = || std::hint::black_box(999 * 1000 / 2);
//!     Experiment::new("sum", "time per operation", "iterator")
//!         .cell(Cell::new("iterator", 499_500, Body::here(move || iterator)))
//!         .cell(Cell::new("formula", 499_500, Body::here(move || formula)))
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     harness::main(Chapter::new(env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"), vec![sum()]))
//! }
//! ```

pub mod allocations;
pub mod assembly;
mod batch;
mod body;
mod builds;
mod candidate;
mod cell;
mod chapter;
mod child;
mod child_handle;
mod cli;
mod counter;
mod counting;
mod experiment;
mod groups;
pub mod helper;
mod idle;
mod in_time;
mod kept_state;
mod linear_fit;
#[cfg(target_os = "linux")]
mod meters;
#[cfg(not(target_os = "linux"))]
mod no_meters;
mod placement;
mod plan;
mod progress;
mod protocol;
mod record_run;
mod recording_table;
mod run;
mod run_header;
mod scheduling_policy;
mod spinners;
mod stopwatch;
mod study_program;
mod task_executor;
mod temporary;
mod terminal_table;
mod thread_crew;
mod tracer;
pub mod unstable_build;
mod visit;
mod window;
pub mod work;

pub use batch::Returned;
pub use body::{Body, Held};
pub use cell::{Base, Cell};
pub use chapter::Chapter;
pub use cli::{bench_main, end_with_input, main};
pub use counter::Counter;
pub use counting::{count_own_calls, own_calls};
pub use experiment::Experiment;
pub use host::cores::{count as core_count, pin_this_thread, room_for_cores};
pub use host::how_many::{room_for_files, room_for_threads};
pub use host::limits::raise_file_limit;
pub use host::rings::room_for_ring;
pub use idle::Idle;
pub use in_time::in_time;
pub use placement::Placement;
pub use plan::Plan;
pub use recorder::{
    stamp, stamp_after, stamp_before, Moment, Noted, Party, RecordingPlan,
};
pub use run::run;
pub use scheduling_policy::preempt_nobody;
pub use spinners::Spinners;
pub use study_program::StudyProgram;
pub use task_executor::{
    tokio_started_on, FreshTokio, StagedExecutor, TaskExecutor, ToAsync,
};
pub use temporary::temporary_directory;
pub use terminal_table::fit_to_terminal;
pub use visit::Visited;
pub use window::Measurement;
