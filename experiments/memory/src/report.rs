//! A process's report on its memory, and the way in which another process
//! reads it.

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

use host::memory::{kernel_bytes, ProcessMemory};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The memory of a process while its threads or tasks wait, in bytes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) virtual_bytes: u64,
    pub(crate) resident_bytes: u64,
    pub(crate) page_table_bytes: u64,
    /// How much memory the kernel uses for the process, in bytes, if the
    /// process's control group reports that.
    pub(crate) kernel_bytes: Option<u64>,
}

impl Report {
    /// Returns the memory of this process, with the kernel's part if the
    /// process is in the control group `group`.
    ///
    /// # Errors
    ///
    /// If the kernel doesn't report the memory.
    pub(crate) fn now(group: Option<&Path>) -> Result<Report, String> {
        let ProcessMemory { virtual_bytes, resident_bytes, page_table_bytes } =
            ProcessMemory::now()?;
        let kernel_bytes = group.map(kernel_bytes).transpose()?;
        Ok(Report {
            virtual_bytes,
            resident_bytes,
            page_table_bytes,
            kernel_bytes,
        })
    }

    /// Returns how much memory the kernel uses for the process, in bytes.
    ///
    /// # Errors
    ///
    /// If this memory is not reported.
    pub(crate) fn kernel(&self) -> Result<u64, String> {
        self.kernel_bytes.ok_or_else(|| "it is not told".to_owned())
    }
}

/// Prints a report or, on standard error, the reason why there is none.
/// [`answer`] reads it.
pub(crate) fn tell<T: Serialize>(told: Result<T, String>) -> ExitCode {
    let line = told.and_then(|told| {
        serde_json::to_string(&told).map_err(|error| error.to_string())
    });
    match line {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the program with these arguments. Returns the program's output and
/// exit status. If this process exits first, the program exits, too.
///
/// # Errors
///
/// If the program cannot be run.
pub(crate) fn run(
    program: &Path,
    arguments: &[String],
) -> Result<Output, String> {
    let cannot =
        |error| format!("{} cannot be run: {error}", program.display());
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    // The program exits when its standard input is closed, so it has to stay
    // open.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().map_err(cannot);
    drop(stdin);
    output
}

/// Runs the program with `arguments`, and returns the only line of its
/// output, decoded from JSON.
///
/// # Errors
///
/// If the program fails, with its last words.
pub(crate) fn answer<T: DeserializeOwned>(
    program: &Path,
    arguments: &[String],
) -> Result<T, String> {
    let output = run(program, arguments)?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        return serde_json::from_str(&text)
            .map_err(|error| format!("{error}: {text}"));
    }
    Err(last_words(&output))
}

/// Returns the reason that a failed program gave in its output.
pub(crate) fn last_words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let words = text.lines().rev().find(|line| !line.trim().is_empty());
    let words = words.unwrap_or("it said nothing");
    format!("{} ({})", words.trim_start_matches("error: "), output.status)
}
