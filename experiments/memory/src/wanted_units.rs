//! What kind of units a process is to have, and how many.

use std::path::{Path, PathBuf};

use clap::Parser;

use crate::report::{self, Report};

/// The first argument that makes a process one with units.
pub(crate) const NAME: &str = "units";

/// The stack that `std` gives a thread unless it is told.
pub(crate) const DEFAULT_STACK: u64 = 2 << 20;

/// How many bytes a unit may hold while it waits.
pub(crate) const STATES: [u64; 5] = [64, 1 << 10, 4 << 10, 16 << 10, 20 << 10];

/// What comes of an expression in which `$state` is the constant that so many bytes
/// are: how many bytes a unit holds is a part of its type.
macro_rules! with_state {
    ($state_bytes:expr, $state:ident => $made:expr) => {
        with_state!(
            $state_bytes, $state => $made, 64 0x400 0x1000 0x4000 0x5000
        )
    };
    ($state_bytes:expr, $state:ident => $made:expr, $($bytes:literal)*) => {
        match $state_bytes {
            $($bytes => {
                const $state: usize = $bytes;
                $made
            })*
            other => {
                Err(format!("units hold one of {STATES:?} bytes, not {other}"))
            }
        }
    };
}
pub(crate) use with_state;

/// What kind of units, and how many.
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
    /// The control group to be in
    #[arg(long)]
    pub(crate) group: Option<PathBuf>,
}

impl Units {
    /// So many, of `std`'s stack.
    pub(crate) fn new(contender: &str, units: u64, state_bytes: u64) -> Units {
        Units {
            contender: contender.to_owned(),
            units,
            state_bytes,
            stack_bytes: DEFAULT_STACK,
            group: None,
        }
    }

    /// The memory of a process that has them, all of which wait. They are checked
    /// to have been there: each returns what it held.
    ///
    /// # Errors
    ///
    /// If there cannot be as many here, with the reason.
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
        ];
        if let Some(group) = &self.group {
            arguments.push(format!("--group={}", group.display()));
        }
        report::answer(program, &arguments)
    }

    /// What they return together.
    fn sum(&self) -> u64 {
        self.units * self.state_bytes
    }

    /// # Errors
    ///
    /// If this is not what they have returned.
    pub(crate) fn check(&self, sum: u64) -> Result<(), String> {
        if sum == self.sum() {
            Ok(())
        } else {
            Err(format!("units returned {sum}, not {}", self.sum()))
        }
    }
}
