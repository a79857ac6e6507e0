//! Links of the program. Where the linker lays the code out otherwise, a loop may
//! take half or twice as long, though no source has changed. So each child
//! process runs another link, with its sections shuffled by a seed.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{bail, ensure, Context, Result};
use fastrand::Rng;
use serde::Deserialize;

use crate::chapter::Chapter;
use crate::plan::Plan;
use crate::progress::Progress;

/// The seed of the link that cargo made.
const AS_IT_IS: u64 = 0;

/// Seeds are short enough to be read, and to be exact in JSON.
const SEEDS: std::ops::Range<u64> = 1..1_000_000;

/// The links of the program that a run's processes are.
pub(crate) struct Builds {
    pub(crate) seeds: Vec<u64>,
    programs: Vec<PathBuf>,
    _links: Option<Links>,
}

/// The directory of the linked programs, hundreds of megabytes, as long as they are needed.
struct Links {
    directory: PathBuf,
    /// Removes it as soon as this process has ended, however that was.
    remover: Option<Child>,
}

impl Links {
    /// Makes an empty one, of this process alone.
    fn beside(program: &Path) -> Result<Links> {
        let name = format!("links-{}", std::process::id());
        let directory = program.with_file_name(name);
        // One that has its number by chance.
        drop(fs::remove_dir_all(&directory));
        fs::create_dir(&directory)
            .context("no directory can be made for links")?;
        let mut remover = Command::new("sh");
        remover
            .args(["-c", "cat > /dev/null; rm -rf -- \"$0\""])
            .arg(&directory)
            // What interrupts this process leaves that one alone.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(Links { directory, remover: remover.spawn().ok() })
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.directory));
        if let Some(mut remover) = self.remover.take() {
            drop(remover.stdin.take());
            drop(remover.wait());
        }
    }
}

impl Builds {
    /// The one program that is running.
    pub(crate) fn as_it_is() -> Result<Builds> {
        let programs = vec![running()?];
        Ok(Builds { seeds: vec![AS_IT_IS], programs, _links: None })
    }

    /// Another link for each of the plan's processes, or where that cannot be had the
    /// program that is running, which is said. One run at a time has such.
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
        // Beside the program that is running, so that a link need not be copied.
        let links = Links::beside(&running()?)?;
        let seeds: Vec<u64> = (0..count).map(|_| rng.u64(SEEDS)).collect();
        let program = |seed| links.directory.join(format!("link-{seed}"));
        let programs: Vec<PathBuf> = seeds.iter().map(program).collect();
        for (seed, program) in seeds.iter().zip(&programs) {
            relink(chapter, *seed, program)?;
        }
        Ok(Builds { seeds, programs, _links: Some(links) })
    }

    /// The program that a process runs, and its place among the seeds.
    pub(crate) fn of_process(&self, process: usize) -> (usize, &Path) {
        let place = process % self.programs.len();
        (place, &self.programs[place])
    }
}

fn running() -> Result<PathBuf> {
    std::env::current_exe().context("the path of this program is not known")
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
    let shuffled = format!("link-arg=-Wl,--shuffle-sections=.text*={seed}");
    let output = Command::new(cargo)
        .current_dir(&chapter.package)
        .args(["rustc", "--quiet", "--profile", "release", "--bin"])
        .arg(&chapter.name)
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
        .with_context(|| format!("{} cannot be kept", executable.display()))?;
    remove_other_names(&executable);
    Ok(())
}

/// Cargo keeps what it linked among its dependencies, under a name of its own for
/// each seed, which nobody will ever ask for again: tens of megabytes each. A bench
/// has no other name.
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
            // What cannot be removed is in nobody's way.
            drop(fs::remove_file(entry.path()));
        }
    }
}
