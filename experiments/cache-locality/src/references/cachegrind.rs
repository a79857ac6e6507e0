//! Starts a program under valgrind's cachegrind, and reads cachegrind's
//! output.

use std::path::Path;
use std::process::{Command, Stdio};

/// The caches to simulate: bytes, ways, bytes per line. They affect misses
/// but not references, and are fixed so that cachegrind doesn't have to
/// recognise the processor. Simulated misses aren't reported: cachegrind runs
/// the threads in turn on one core, so no data is ever in another core's
/// cache.
const CACHES: [&str; 3] =
    ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

/// Cachegrind's names for the events that make up references: data reads and
/// data writes.
const REFERENCES: [&str; 2] = ["Dr", "Dw"];

/// Checks that valgrind is installed.
///
/// # Errors
///
/// If valgrind isn't installed. The error says how to install it.
pub fn has_valgrind() -> Result<(), String> {
    let mut version = Command::new("valgrind");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    match version.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err("references are counted by cachegrind, which is not here: \
                  sudo apt install valgrind"
            .to_owned()),
    }
}

/// Returns a command that runs `program` under cachegrind, which writes its
/// counts to `file` when the program exits.
pub(super) fn under_cachegrind(program: &Command, file: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=cachegrind", "--cache-sim=yes"])
        .args(CACHES)
        .arg(format!("--cachegrind-out-file={}", file.display()))
        .arg(program.get_program())
        .args(program.get_args());
    command
}

/// Returns the number of data reads and writes in `text`, the content of
/// cachegrind's output file.
///
/// # Errors
///
/// If `text` lacks these counts.
pub(super) fn references(text: &str) -> Result<u64, String> {
    let line = |key| text.lines().rev().find_map(|line| line.strip_prefix(key));
    let of_all = || -> Option<u64> {
        let events = line("events:")?.split_whitespace();
        let counts = line("summary:")?.split_whitespace();
        let counts = counts.map(str::parse).collect::<Result<Vec<u64>, _>>();
        let all: Vec<_> = events.zip(counts.ok()?).collect();
        let count = |wanted| {
            let found = all.iter().find(|(event, _)| *event == wanted)?;
            Some(found.1)
        };
        REFERENCES.into_iter().map(count).sum()
    };
    of_all().ok_or_else(|| {
        "cachegrind's file has no lines `events:` and `summary:` with Dr and Dw: its \
         first lines and its last one are to have them"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_the_reads_and_writes_of_all_functions() {
        // Cachegrind's output (valgrind 3.19) for the program `true`, with
        // most functions removed.
        let file = include_str!("cachegrind_of_true.txt");
        assert_eq!(references(file), Ok(29_379 + 10_264));
        assert!(references("events: Ir Dr\nsummary: 12 7\n").is_err());
        assert!(references("events: Ir Dr Dw\nsummary: 12 7\n").is_err());
        assert!(references("").is_err());
    }
}
