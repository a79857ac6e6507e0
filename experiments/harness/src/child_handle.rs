//! The parent's handle of a child process: a helper that visits cells.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::helper::Helper;
use crate::protocol::{Report, Request, CHILD, TRACER};
use crate::temporary::{run, RUN};

/// A slot for one child. The child is started when needed, and a new one after
/// it has ended.
pub(crate) struct ChildHandle {
    role: &'static str,
    program: PathBuf,
    running: Option<Helper<Request, Report>>,
}

impl ChildHandle {
    /// Creates a slot for a child that runs this build of the program.
    pub(crate) fn of(program: &Path) -> ChildHandle {
        let program = program.to_owned();
        ChildHandle { role: CHILD, program, running: None }
    }

    /// The same for a child whose system calls are counted: the child is
    /// started by its tracer.
    pub(crate) fn traced(program: &Path) -> ChildHandle {
        ChildHandle { role: TRACER, ..ChildHandle::of(program) }
    }

    /// Sends a request to the child. The error is the reason why the cell
    /// failed: the child's own, or why it gave no answer; then the child has
    /// ended.
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
        command
            .arg(self.role)
            .env(RUN, run())
            // Otherwise, smol's executor would have one thread.
            .env("SMOL_THREADS", cores.to_string())
            // Otherwise, criterion would first run `cargo metadata`, although
            // each visit sets a directory.
            .env("CRITERION_HOME", std::env::temp_dir());
        command
    }
}
