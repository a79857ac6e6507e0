//! The parent's handle for a child process that measures benchmarks on
//! request.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::helper::Helper;
use crate::protocol::{Report, Request, CHILD, TRACER};
use crate::temporary::{run, RUN};

/// A slot for one child process. The child is started when it is needed, and
/// restarted if it has ended.
pub(crate) struct ChildHandle {
    role: &'static str,
    program: PathBuf,
    running: Option<Helper<Request, Report>>,
}

impl ChildHandle {
    pub(crate) fn of(program: &Path) -> ChildHandle {
        let program = program.to_owned();
        ChildHandle { role: CHILD, program, running: None }
    }

    /// Creates a slot for a child whose system calls are counted by another
    /// process, the tracer. The tracer starts the child.
    pub(crate) fn traced(program: &Path) -> ChildHandle {
        ChildHandle { role: TRACER, ..ChildHandle::of(program) }
    }

    /// Sends a request to the child, and returns the answer. The error says
    /// why the benchmark failed: the child reported a reason, or it gave no
    /// answer and was killed.
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
            // Without this variable, smol's executor would have one thread.
            .env("SMOL_THREADS", cores.to_string())
            // Without this variable, criterion would run `cargo metadata`
            // first, although each measurement sets its own directory.
            .env("CRITERION_HOME", std::env::temp_dir());
        command
    }
}
