//! The data directory: a directory a machine, in it `machine.json` and a file a chapter.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use measurement::Run;
use measurement::machine::Machine;
use measurement::name::check_slug;

use crate::config::Config;
use crate::stale::{Stale, Tree};
use crate::{Mistake, Mistakes, Scope};

/// The directory of the reader's own runs.
pub const LOCAL: &str = "local";

/// The directory of what others published, which is no machine.
pub const PUBLISHED: &str = "published";

/// What a page calls a machine: the reader's own is `yours`.
pub(crate) fn label(machine: &str) -> &str {
    if machine == LOCAL { "yours" } else { machine }
}

/// All runs that the pages may show.
#[derive(Debug)]
pub struct Data {
    /// The reference machine first, then the others by name, the reader's own last.
    pub machines: Vec<MachineData>,
}

/// The runs of one machine.
#[derive(Debug)]
pub struct MachineData {
    /// What it is.
    pub machine: Machine,
    /// Its runs, by chapter.
    pub chapters: BTreeMap<String, ChapterRun>,
}

/// A chapter's run on one machine.
#[derive(Debug)]
pub struct ChapterRun {
    /// The file, relative to the book's root, for messages.
    pub file: String,
    /// What it holds.
    pub run: Run,
    /// In what it differs from the tree; empty if it is up to date.
    pub stale: Vec<Stale>,
}

impl MachineData {
    /// The machine's name.
    pub fn name(&self) -> &str {
        &self.machine.machine
    }

    /// Whether these are the reader's own runs.
    pub fn is_local(&self) -> bool {
        self.name() == LOCAL
    }
}

impl Data {
    /// Reads and checks every file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them.
    pub fn load(root: &Path, config: &Config, scope: Scope) -> Result<Data, Mistakes> {
        let mut mistakes = Mistakes::default();
        let tree = Tree::read(root);
        let mut machines = Vec::new();
        for directory in directories(&root.join(&config.data)) {
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let other = name == PUBLISHED || (name == LOCAL && scope == Scope::Committed);
            // A machine without a run yet: measuring was broken off before it wrote one.
            if other || files(&directory, "jsonl").is_empty() {
                continue;
            }
            match load_machine(root, config, &tree, &directory, &name) {
                Ok(machine) => machines.push(machine),
                Err(mut more) => mistakes.0.append(&mut more.0),
            }
        }
        let rank = |machine: &MachineData| match machine.name() {
            name if name == config.reference => (0, name.to_owned()),
            LOCAL => (2, String::new()),
            name => (1, name.to_owned()),
        };
        machines.sort_by_key(rank);
        if mistakes.0.is_empty() { Ok(Data { machines }) } else { Err(mistakes) }
    }

    /// The contenders of all chapters, in the order in which they are met: on the reference machine
    /// first.
    pub(crate) fn contenders(&self) -> Vec<&str> {
        let runs = self.machines.iter().flat_map(|machine| machine.chapters.values());
        let mut contenders: Vec<&str> = Vec::new();
        for row in runs.flat_map(|chapter| &chapter.run.rows) {
            if !contenders.contains(&row.contender.as_str()) {
                contenders.push(&row.contender);
            }
        }
        contenders
    }

    /// A machine's run of a chapter.
    pub fn run(&self, machine: &str, chapter: &str) -> Option<&ChapterRun> {
        let machine = self.machines.iter().find(|data| data.name() == machine)?;
        machine.chapters.get(chapter)
    }
}

fn load_machine(
    root: &Path,
    config: &Config,
    tree: &Tree,
    directory: &Path,
    name: &str,
) -> Result<MachineData, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut wrong = |file: &Path, line: usize, mut message: String| {
        if name == LOCAL {
            message +=
                "; these are your own runs: measure again, or remove data/local to do without";
        }
        let file = relative(root, file);
        mistakes.0.push(Mistake { file, line, message });
    };
    if let Err(error) = check_slug("machine", name) {
        wrong(directory, 1, error.to_string());
        return Err(mistakes);
    }
    let mut chapters = BTreeMap::new();
    for file in files(directory, "jsonl") {
        let chapter = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                wrong(&file, 1, format!("cannot be read: {error}"));
                continue;
            }
        };
        let run = match Run::parse(&text) {
            Ok(run) => run,
            Err(error) => {
                wrong(&file, error.line, error.message);
                continue;
            }
        };
        if run.header.machine != name || run.header.chapter != chapter {
            let (machine, named) = (&run.header.machine, &run.header.chapter);
            wrong(
                &file,
                1,
                format!(
                    "holds the run of {named:?} on {machine:?}: a file belongs in data/<machine>/<chapter>.jsonl"
                ),
            );
            continue;
        }
        let stale = tree.compare(&run.header, &root.join(&config.experiments).join(&chapter));
        chapters.insert(chapter, ChapterRun { file: relative(root, &file), run, stale });
    }
    let file = directory.join("machine.json");
    let machine = match fs::read_to_string(&file) {
        Ok(text) => match Machine::parse(&text) {
            Ok(machine) if machine.machine == name => Some(machine),
            Ok(other) => {
                wrong(&file, 1, format!("describes the machine {:?}", other.machine));
                None
            }
            Err(message) => {
                wrong(&file, 1, message);
                None
            }
        },
        Err(error) => {
            wrong(&file, 1, format!("cannot be read: {error}; `cargo book measure` writes it"));
            None
        }
    };
    match machine {
        Some(machine) if mistakes.0.is_empty() => Ok(MachineData { machine, chapters }),
        _ => Err(mistakes),
    }
}

/// The directories in a directory, in order; none if it is not there.
fn directories(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries(parent).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let wanted = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    let mut found: Vec<PathBuf> = entries(directory).filter(wanted).collect();
    found.sort();
    found
}

/// What is in a directory but hidden files, which are being written.
fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let visible = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    visible.map(|entry| entry.path())
}

pub(crate) fn relative(root: &Path, file: &Path) -> String {
    let file = file.strip_prefix(root).unwrap_or(file);
    file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
