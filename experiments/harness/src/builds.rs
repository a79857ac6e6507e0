//! Builds of the program with different layouts. If the linker lays out the
//! code differently, a loop may take half or twice as long with the same
//! source. So each child process runs a different build, whose sections the
//! linker has shuffled by a seed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{bail, ensure, Context, Result};
use fastrand::Rng;
use serde::Deserialize;

use crate::chapter::Chapter;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::temporary::Remover;

/// The seed of the build that cargo made. Its sections are not shuffled.
const AS_IT_IS: u64 = 0;

/// Possible seeds for shuffling. They are short enough to read, and JSON
/// represents them exactly.
const SEEDS: std::ops::Range<u64> = 1..1_000_000;

/// The builds of the program that the processes of a run use.
pub(crate) struct Builds {
    pub(crate) seeds: Vec<u64>,
    programs: Vec<PathBuf>,
    _links: Option<Links>,
}

/// The directory of the linked programs. They take up hundreds of megabytes,
/// so the directory is removed as soon as they are no longer needed.
struct Links {
    directory: PathBuf,
    /// Removes the directory even if this process is killed.
    _remover: Remover,
}

impl Links {
    /// Creates an empty directory for this process, next to `program`.
    fn beside(program: &Path) -> Result<Links> {
        let name = format!("links-{}", std::process::id());
        let directory = program.with_file_name(name);
        // A process with the same id may have left a directory behind.
        drop(fs::remove_dir_all(&directory));
        fs::create_dir(&directory)
            .context("no directory can be made for links")?;
        let remover = Remover::of(&directory);
        Ok(Links { directory, _remover: remover })
    }
}

impl Builds {
    /// Returns a single build: the running program.
    pub(crate) fn as_it_is() -> Result<Builds> {
        let programs = vec![running()?];
        Ok(Builds { seeds: vec![AS_IT_IS], programs, _links: None })
    }

    /// Links a build for each process of the plan. If that isn't possible,
    /// reports it and uses the running program. Only one run at a time may do
    /// this.
    pub(crate) fn new(
        chapter: &Chapter,
        plan: &Plan,
        rng: &mut Rng,
        progress: &Progress,
    ) -> Result<Builds> {
        if !plan.relink {
            return Builds::as_it_is();
        }
        progress.stage("linking the program anew for each process");
        Builds::link(chapter, plan.processes, rng).or_else(|error| {
            progress.note(&format!(
                "warning: every process runs the same link of the program, so how much the place of its code matters is not seen: {error:#}"
            ));
            Builds::as_it_is()
        })
    }

    fn link(chapter: &Chapter, count: usize, rng: &mut Rng) -> Result<Builds> {
        ensure!(
            cfg!(all(target_os = "linux", target_arch = "x86_64")),
            "the linker that can shuffle is the default on x86-64 Linux only"
        );
        // The directory is on the same file system as the running program, so
        // builds can be moved there.
        let links = Links::beside(&running()?)?;
        let seeds: Vec<u64> = (0..count).map(|_| rng.u64(SEEDS)).collect();
        let program = |seed| links.directory.join(format!("link-{seed}"));
        let programs: Vec<PathBuf> = seeds.iter().map(program).collect();
        for (seed, program) in seeds.iter().zip(&programs) {
            relink(chapter, *seed, program)?;
        }
        Ok(Builds { seeds, programs, _links: Some(links) })
    }

    /// Returns the build that process number `process` runs: the index of its
    /// seed, and the path of the program.
    pub(crate) fn of_process(&self, process: usize) -> (usize, &Path) {
        let place = process % self.programs.len();
        (place, &self.programs[place])
    }
}

fn running() -> Result<PathBuf> {
    std::env::current_exe().context("the path of this program is not known")
}

/// Returns the path of the program that cargo built last, according to its
/// JSON messages.
pub(crate) fn executable(said: &[u8]) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    let said = String::from_utf8_lossy(said);
    let messages =
        said.lines().filter_map(|line| serde_json::from_str(line).ok());
    messages.filter_map(|message: Message| message.executable).next_back()
}

/// Links the program of a chapter with its sections shuffled by `seed`, moves
/// it to `program`, and cleans up after cargo.
fn relink(chapter: &Chapter, seed: u64, program: &Path) -> Result<()> {
    let shuffled = format!("link-arg=-Wl,--shuffle-sections=.text*={seed}");
    let output = host::cargo::cargo()
        .current_dir(&chapter.package)
        .args(["rustc", "--quiet", "--profile", "release", "--bin"])
        .arg(&chapter.name)
        .args(["--message-format", "json", "--", "-C", &shuffled])
        .stdin(Stdio::null())
        .output()
        .context("cargo cannot be started")?;
    let executable = executable(&output.stdout);
    let (true, Some(executable)) = (output.status.success(), executable) else {
        let errors = String::from_utf8_lossy(&output.stderr);
        let why = errors.lines().find(|line| line.contains("error"));
        bail!("cargo rustc failed: {}", why.unwrap_or("it does not say why"));
    };
    fs::hard_link(&executable, program)
        .with_context(|| format!("{} cannot be kept", executable.display()))?;
    remove_other_names(&executable);
    Ok(())
}

/// Removes cargo's copy of the program among its dependencies. Each seed
/// would leave a copy of tens of megabytes, under a name that is never used
/// again. The executable of `cargo bench` has no such copy.
fn remove_other_names(executable: &Path) {
    let Some(directory) = executable.parent() else { return };
    let directory = match directory.file_name() {
        Some(name) if name == "deps" => directory.to_owned(),
        _ => directory.join("deps"),
    };
    let linked = |path: &Path| {
        let file = fs::metadata(path).ok()?;
        Some((file.len(), file.modified().ok()?))
    };
    let is_it = linked(executable);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if is_it.is_some() && linked(&entry.path()) == is_it {
            // A file that can't be removed does no harm.
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_one_that_cargo_names() {
        let said = br#"Compiling
            {"reason":"compiler-artifact","executable":"/t/p"}
            {"reason":"compiler-artifact","executable":null}"#;
        assert_eq!(executable(said), Some(PathBuf::from("/t/p")));
        assert_eq!(executable(b"Compiling"), None);
    }
}
