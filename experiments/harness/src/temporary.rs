//! Temporary directories of a run. Child processes are killed, and so can't
//! remove theirs. The run removes them when it ends, even if it is killed.

use std::env;
use std::io::{self, Write};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tempfile::{Builder, TempDir};

/// The environment variable that tells a child the name of its run.
pub(crate) const RUN: &str = "HARNESS_RUN";

/// Returns the name of the run that this process belongs to. No other run has
/// the same name.
pub(crate) fn run() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        env::var(RUN).unwrap_or_else(|_| format!("{:08x}", fastrand::u32(..)))
    });
    &NAME
}

/// Creates a directory for temporary files. It is removed when the result is
/// dropped, and at the latest when the run ends.
pub fn temporary_directory() -> io::Result<TempDir> {
    Builder::new().prefix(&prefix()).tempdir()
}

fn prefix() -> String {
    format!(".harness-{}-", run())
}

/// Removes files or directories when this value is dropped, or when this
/// process exits for any reason.
pub(crate) struct Remover(Option<Child>);

impl Remover {
    pub(crate) fn of(directory: &Path) -> Remover {
        Remover::of_pattern("\"$0\"", directory)
    }

    pub(crate) fn of_this_run() -> Remover {
        let all = env::temp_dir().join(prefix());
        Remover::of_pattern("\"$0\"*", &all)
    }

    /// Creates a remover for the files that match a shell pattern. In the
    /// pattern, `$0` is `path`.
    fn of_pattern(pattern: &str, path: &Path) -> Remover {
        // If standard input closes without a line, the process that started
        // the remover was killed, and its other children need a moment to
        // exit.
        let script = format!("read -r line || sleep 1; rm -rf -- {pattern}");
        let mut remover = Command::new("sh");
        remover
            .args(["-c", &script])
            .arg(path)
            // In its own process group, the remover isn't interrupted
            // together with this process.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Remover(remover.spawn().ok())
    }
}

impl Drop for Remover {
    fn drop(&mut self) {
        if let Some(mut remover) = self.0.take() {
            drop(remover.stdin.take().map(|mut stdin| writeln!(stdin)));
            drop(remover.wait());
        }
    }
}
