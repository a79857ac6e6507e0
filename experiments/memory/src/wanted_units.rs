//! The kind and number of threads or tasks in a process.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use clap::Parser;

use crate::allocator::Allocator;
use crate::report::{self, Report};

/// The first argument of a process with threads or tasks.
pub(crate) const NAME: &str = "units";

/// The default stack of `std`'s threads, in bytes.
pub(crate) const DEFAULT_STACK: u64 = 2 << 20;

/// Returns the stack size of this program's threads, in bytes. The
/// environment can change it.
pub(crate) fn stack_of_std() -> u64 {
    let told = std::env::var("RUST_MIN_STACK").ok();
    told.and_then(|bytes| bytes.parse().ok()).unwrap_or(DEFAULT_STACK)
}

/// The time after which a thread or task that has sent its last message has
/// certainly ended.
const SETTLED: Duration = Duration::from_millis(100);

/// The sizes of state that a waiting thread or task may hold, in bytes.
pub(crate) const STATES: [u64; 5] = [64, 1 << 10, 4 << 10, 16 << 10, 20 << 10];

/// Evaluates an expression in which `$state` is a constant with the given
/// value, one of [`STATES`]. A constant is needed because the size of a
/// task's state is part of its type.
macro_rules! with_state {
    ($state_bytes:expr, $state:ident => $made:expr) => {
        with_state!($state_bytes, $state => $made, 0 1 2 3 4)
    };
    ($state_bytes:expr, $state:ident => $made:expr, $($place:literal)*) => {
        match STATES.iter().position(|&bytes| bytes == $state_bytes) {
            $(Some($place) => {
                const $state: usize = STATES[$place] as usize;
                $made
            })*
            _ => Err(format!(
                "units hold one of {STATES:?} bytes, not {}",
                $state_bytes
            )),
        }
    };
}
pub(crate) use with_state;

/// The kind of units to create, and their number.
#[derive(Debug, Clone, Parser)]
#[command(name = "memory units")]
pub(crate) struct Units {
    /// Threads, or tasks of which runtime
    pub(crate) contender: String,
    /// How many
    pub(crate) units: u64,
    /// How many bytes each holds while it waits
    pub(crate) state_bytes: u64,
    /// The stack of a thread, in bytes
    #[arg(long, default_value_t = DEFAULT_STACK)]
    pub(crate) stack_bytes: u64,
    /// The allocator that gives the process its memory
    #[arg(long, value_enum, default_value_t = Allocator::System)]
    pub(crate) allocator: Allocator,
    /// Tell the memory once all of them have ended
    #[arg(long)]
    pub(crate) ended: bool,
    /// The control group to be in
    #[arg(long)]
    pub(crate) group: Option<PathBuf>,
}

impl Units {
    /// Creates a request for `units` threads or tasks with `std`'s default
    /// stack.
    pub(crate) fn new(contender: &str, units: u64, state_bytes: u64) -> Units {
        Units {
            contender: contender.to_owned(),
            units,
            state_bytes,
            stack_bytes: DEFAULT_STACK,
            allocator: Allocator::System,
            ended: false,
            group: None,
        }
    }

    /// Runs a process with these threads or tasks, and returns its memory
    /// while all of them wait, or after they have ended. Checks their
    /// answers, which are the sums of their states.
    ///
    /// # Errors
    ///
    /// If this many units can't exist here, with the reason.
    pub(crate) fn in_a_process(
        &self,
        program: &Path,
    ) -> Result<Report, String> {
        let mut arguments = vec![
            NAME.to_owned(),
            self.contender.clone(),
            self.units.to_string(),
            self.state_bytes.to_string(),
            format!("--stack-bytes={}", self.stack_bytes),
            format!("--allocator={}", self.allocator.name()),
        ];
        if self.ended {
            arguments.push("--ended".to_owned());
        }
        if let Some(group) = &self.group {
            arguments.push(format!("--group={}", group.display()));
        }
        report::answer(program, &arguments)
    }

    /// Returns the expected sum of the answers of all threads or tasks.
    fn sum(&self) -> u64 {
        self.units * self.state_bytes
    }

    /// Checks the sum of the answers, and returns the report.
    ///
    /// # Errors
    ///
    /// If the sum is wrong, or the memory is not reported.
    pub(crate) fn told(
        &self,
        waiting: Report,
        sum: u64,
    ) -> Result<Report, String> {
        if sum != self.sum() {
            return Err(format!("units returned {sum}, not {}", self.sum()));
        }
        if !self.ended {
            return Ok(waiting);
        }
        sleep(SETTLED);
        Report::now(self.group.as_deref())
    }
}
