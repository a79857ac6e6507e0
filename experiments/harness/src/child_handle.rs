//! A child process, as the parent sees it: a helper that visits cells.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::helper::Helper;
use crate::protocol::{Report, Request, CHILD, TRACER};

/// What `--units` asks for, which children have to know: their cells are made by it.
static UNITS: OnceLock<u64> = OnceLock::new();

/// Has all children make their cells with this number of units.
pub(crate) fn pass_on(units: u64) {
    UNITS.get_or_init(|| units);
}

/// A place for one child. It is started when something is asked of it, and started anew after one has gone.
pub(crate) struct ChildHandle {
    role: &'static str,
    program: PathBuf,
    running: Option<Helper<Request, Report>>,
}

impl ChildHandle {
    /// A place for a child that runs this link of the program.
    pub(crate) fn of(program: &Path) -> ChildHandle {
        let program = program.to_owned();
        ChildHandle { role: CHILD, program, running: None }
    }

    /// The same for a child whose system calls are counted. It is its tracer that is started.
    pub(crate) fn traced(program: &Path) -> ChildHandle {
        ChildHandle { role: TRACER, ..ChildHandle::of(program) }
    }

    /// Asks the child. The error is the reason why the cell failed: what the child says of it, or why it gave
    /// no answer; then that child is gone.
    pub(crate) fn ask<Answer: DeserializeOwned>(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<Answer, String> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Helper::spawn(self.command())?,
        };
        let report = running.ask(request, time_limit)?;
        self.running = Some(running);
        report.and_then(|answer: Value| {
            serde_json::from_value(answer)
                .map_err(|error| format!("answered another question: {error}"))
        })
    }

    fn command(&self) -> Command {
        let cores = host::cores::count();
        let mut command = Command::new(&self.program);
        let units = UNITS.get().map(|units| format!("--units={units}"));
        command
            .arg(self.role)
            .args(units)
            // smol's executor has one thread unless told.
            .env("SMOL_THREADS", cores.to_string())
            // Or criterion runs `cargo metadata` first, though each visit names a directory of its own.
            .env("CRITERION_HOME", std::env::temp_dir());
        command
    }
}
