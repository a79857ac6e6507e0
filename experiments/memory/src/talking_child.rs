//! A child process that runs this program, prints lines and stays alive.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde::de::DeserializeOwned;

/// A child process that exits when this value is dropped, or when the parent
/// exits.
pub(crate) struct TalkingChild {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl TalkingChild {
    /// Starts the program with these arguments. The program has to call
    /// [`harness::end_with_input`].
    ///
    /// # Errors
    ///
    /// If the program cannot be run.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
    ) -> Result<TalkingChild, String> {
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
        let said = child.stdout.take().expect("it is piped");
        Ok(TalkingChild { child, said: BufReader::new(said) })
    }

    /// Reads the next line that the child prints, and decodes it.
    ///
    /// # Errors
    ///
    /// If there is no further line, with the child's last error message.
    pub(crate) fn hear<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let mut line = String::new();
        let length = self.said.read_line(&mut line);
        if length.map_err(|error| error.to_string())? > 0 {
            return serde_json::from_str(&line)
                .map_err(|error| format!("{error}: {line}"));
        }
        let mut errors = String::new();
        let stderr = self.child.stderr.as_mut().expect("it is piped");
        drop(stderr.read_to_string(&mut errors));
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.unwrap_or("a process ended without a word");
        Err(last.trim_start_matches("error: ").to_owned())
    }
}

impl Drop for TalkingChild {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}
