//! Links of the program. Where the linker lays the code out otherwise, a loop may
//! take half or twice as long, though no source has changed. So each child
//! process runs another link, with its sections shuffled by a seed.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{bail, ensure, Context, Result};
use fastrand::Rng;
use host::kernel_files::KernelFiles;
use host::processes::is_running;
use serde::Deserialize;
use tempfile::TempDir;

use crate::chapter::{Chapter, Program};

/// The seed of the link that cargo made.
const AS_IT_IS: u64 = 0;

/// Seeds are short enough to be read, and to be exact in JSON.
const SEEDS: std::ops::Range<u64> = 1..1_000_000;

/// How the name of a directory of links begins; the id of the run's process follows.
const LINKS: &str = "links-";

/// The argument that makes a program say which cells it has.
pub(crate) const CELLS: &str = "--cells";

/// The links of the program that a run's processes are.
pub(crate) struct Builds {
    links: Vec<Link>,
    /// Holds the linked programs as long as they are needed.
    _directory: Option<TempDir>,
}

struct Link {
    seed: u64,
    program: PathBuf,
}

impl Builds {
    /// The one program that is running.
    pub(crate) fn as_it_is() -> Result<Builds> {
        let program = std::env::current_exe()
            .context("the path of this program is not known")?;
        let links = vec![Link { seed: AS_IT_IS, program }];
        Ok(Builds { links, _directory: None })
    }

    /// So many links of the chapter's program, with seeds that are drawn.
    ///
    /// # Errors
    ///
    /// If it cannot be linked anew here, with the reason.
    pub(crate) fn link(
        chapter: &Chapter,
        count: usize,
        rng: &mut Rng,
    ) -> Result<Builds> {
        ensure!(
            cfg!(all(target_os = "linux", target_arch = "x86_64")),
            "the linker that can shuffle is the default on x86-64 Linux only"
        );
        // Beside the program that is running, so that a link need not be copied.
        let running = std::env::current_exe()
            .context("the path of this program is not known")?;
        let beside = running.parent().context("this program lies nowhere")?;
        remove_abandoned(beside);
        let directory = tempfile::Builder::new()
            .prefix(&format!("{LINKS}{}-", std::process::id()))
            .tempdir_in(beside)
            .with_context(|| format!("{} cannot be used", beside.display()))?;
        let mut links = Vec::new();
        while links.len() < count {
            let seed = rng.u64(SEEDS);
            let program = directory.path().join(format!("link-{seed}"));
            relink(chapter, seed, &program)?;
            let cells = Command::new(&program).arg(CELLS).output()?;
            ensure!(
                String::from_utf8_lossy(&cells.stdout).trim()
                    == fingerprint(chapter),
                "linked anew, the program has other cells: were features given, or is the source newer?"
            );
            links.push(Link { seed, program });
        }
        Ok(Builds { links, _directory: Some(directory) })
    }

    /// The program that a process runs, and its place among the seeds.
    pub(crate) fn of_process(&self, process: usize) -> (usize, &Path) {
        let place = process % self.links.len();
        (place, &self.links[place].program)
    }

    /// The seeds, by place.
    pub(crate) fn seeds(&self) -> Vec<u64> {
        self.links.iter().map(|link| link.seed).collect()
    }
}

/// Removes the links of runs that were killed: hundreds of megabytes each.
fn remove_abandoned(beside: &Path) {
    let files = KernelFiles::of_this_computer();
    for entry in fs::read_dir(beside).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(of_run) =
            name.to_str().and_then(|name| name.strip_prefix(LINKS))
        else {
            continue;
        };
        let id = of_run.split('-').next().and_then(|id| id.parse().ok());
        if !id.is_some_and(|id| is_running(&files, id)) {
            // What cannot be removed is in nobody's way.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// What tells whether two programs have the same cells in the same order.
pub(crate) fn fingerprint(chapter: &Chapter) -> String {
    let mut hasher = DefaultHasher::new();
    for (experiment, cell) in chapter.all_cells() {
        experiment.cell_name(cell).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// A line of what cargo says in JSON.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Links a chapter's program with its sections shuffled, and leaves nothing of it
/// where cargo put it.
fn relink(chapter: &Chapter, seed: u64, program: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    cargo.current_dir(&chapter.package).args(["rustc", "--quiet"]);
    match &chapter.program {
        Program::Bin(name) => cargo.args(["--release", "--bin", name]),
        Program::Bench(name) => {
            cargo.args(["--profile", "bench", "--bench", name])
        }
    };
    let shuffled = format!("link-arg=-Wl,--shuffle-sections=.text*={seed}");
    let output = cargo
        .args(["--message-format", "json", "--", "-C", &shuffled])
        .stdin(Stdio::null())
        .output()
        .context("cargo cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let messages =
        said.lines().filter_map(|line| serde_json::from_str(line).ok());
    let executable = messages.filter_map(|m: Message| m.executable).next_back();
    let (true, Some(executable)) = (output.status.success(), executable) else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let why = errors.lines().find(|line| line.contains("error"));
        bail!("cargo rustc failed: {}", why.unwrap_or("it does not say why"));
    };
    fs::hard_link(&executable, program)
        .or_else(|_| fs::copy(&executable, program).map(drop))
        .with_context(|| format!("{} cannot be kept", executable.display()))?;
    remove_other_names(&executable);
    if let Program::Bench(_) = chapter.program {
        // It has no other name.
        drop(fs::remove_file(&executable));
    }
    Ok(())
}

/// Cargo keeps what it linked among its dependencies, under a name of its own for
/// each seed, which nobody will ever ask for again: tens of megabytes each.
#[cfg(unix)]
fn remove_other_names(executable: &Path) {
    use std::os::unix::fs::MetadataExt;
    let Ok(linked) = fs::metadata(executable) else { return };
    let Some(directory) = executable.parent() else { return };
    let stem = executable.file_stem().unwrap_or_default().to_string_lossy();
    let prefix = stem.replace('-', "_");
    let entries = fs::read_dir(directory.join("deps")).into_iter().flatten();
    for entry in entries.flatten() {
        let name: OsString = entry.file_name();
        let is_named = name.to_string_lossy().starts_with(&prefix);
        let is_same = is_named
            && entry.metadata().is_ok_and(|found| {
                (found.dev(), found.ino()) == (linked.dev(), linked.ino())
            });
        if is_same {
            // What cannot be removed is in nobody's way.
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(not(unix))]
fn remove_other_names(_executable: &Path) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_links_of_runs_that_have_ended_are_removed() {
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let beside = tempfile::tempdir().unwrap();
        let make = |name: String| {
            let directory = beside.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join("link-17"), "a program").unwrap();
            directory
        };
        let abandoned = make(format!("{LINKS}{}-Ab3dEf", ended.id()));
        // As they were called before they named their process.
        let unnamed = make(format!("{LINKS}Ab3dEf"));
        let used = make(format!("{LINKS}{}-Ab3dEf", std::process::id()));
        let foreign = make("deps".to_owned());
        remove_abandoned(beside.path());
        assert!(!abandoned.exists() && !unnamed.exists());
        assert!(used.exists() && foreign.exists());
    }
}
