//! The hash of what an experiment runs: a time depends on it besides the versions of crates
//! ([`crate::manifest`]) and what the compiler is told ([`crate::build_settings`]).
//!
//! It is taken over tokens. Comments, documentation, layout, what only tests compile and the
//! [visit plan](VISIT_PLAN) do not count, so that none of them makes data stale.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::manifest::{self, Features};

mod counted_source;
mod error;
mod included;
mod modules;
mod tokens;

pub use error::WorkloadError;
pub use tokens::VISIT_PLAN;

use counted_source::CountedSource;
use error::{read, read_error};
use included::Included;
use modules::{rust_files, without_lists, Crate};
use tokens::{lex, VisitPlan};

/// What `experiment` of the chapter's package in the directory `package` runs: 16 hexadecimal digits.
///
/// What counts is
///
/// - the module of the experiment's name, with `_` for `-`, and the modules below it; each module of
///   the crate that one of these names, with those below it; and so on. If there is no such module, or
///   if a module uses all of the crate's root, everything in `src` counts;
/// - the crate's root, where the chapter prepares the process, without `mod` declarations and without
///   the calls `x::experiment()` in the list of experiments; and the program's `main.rs`;
/// - files that these include and name by a literal;
/// - the sources of packages of this repository that are contenders, if these files name them;
/// - the features of the package's dependencies, of those that these files name, and of those that the
///   package shares with one of this repository that it depends on, such as the harness; versions do not
///   count.
///
/// An `impl` in a module that nobody names is not seen.
///
/// # Errors
///
/// If a file cannot be read, is not Rust, or declares a module that has no file.
pub fn hash(package: &Path, experiment: &str) -> Result<String, WorkloadError> {
    Package::read(package)?.hash(experiment)
}

/// A chapter's package, read once for all its experiments.
pub struct Package {
    directory: PathBuf,
    sources: Sources,
    dependencies: Vec<Features>,
    /// Packages of ours that are measured themselves, by the name in the code.
    contenders: BTreeMap<String, Contender>,
}

impl Package {
    /// Reads the package in `directory`: its Rust files, and the manifests of those that it depends on here.
    ///
    /// # Errors
    ///
    /// As [`hash`].
    pub fn read(directory: &Path) -> Result<Package, WorkloadError> {
        let sources = Sources::read(directory)?;
        let manifest = directory.join("Cargo.toml");
        let dependencies = manifest::features(&manifest)?;
        let contenders = manifest::contenders(&manifest)?.into_iter();
        let contenders = contenders.map(|(name, directory)| (name, Contender::new(directory)));
        let contenders = contenders.collect();
        Ok(Package { directory: directory.to_owned(), sources, dependencies, contenders })
    }

    /// As [`hash`].
    ///
    /// # Errors
    ///
    /// As [`hash`].
    pub fn hash(&self, experiment: &str) -> Result<String, WorkloadError> {
        let workload = self.sources.of(experiment)?;
        let mut hasher = Hasher::default();
        workload.hash(&self.directory, &mut hasher)?;
        let names = workload.identifiers();
        let contenders = self.contenders.iter().filter(|(name, _)| names.contains(name.as_str()));
        for (_, contender) in contenders {
            contender.workload()?.hash(&contender.directory, &mut hasher)?;
        }
        let is_meant = |d: &&Features| d.is_shared || names.contains(d.identifier.as_str());
        for dependency in self.dependencies.iter().filter(is_meant) {
            hasher.text(&dependency.package);
            hasher.text(&dependency.default_features.to_string());
            hasher.texts(&dependency.features);
        }
        Ok(hasher.finish())
    }
}

/// A package of ours that is measured itself.
struct Contender {
    directory: PathBuf,
    /// Read when an experiment names it, once for all.
    workload: OnceCell<Workload>,
}

impl Contender {
    fn new(directory: PathBuf) -> Contender {
        Contender { directory, workload: OnceCell::new() }
    }

    fn workload(&self) -> Result<&Workload, WorkloadError> {
        if let Some(read) = self.workload.get() {
            return Ok(read);
        }
        let sources = rust_files(&self.directory.join("src"))?;
        let workload = Workload::of_files(sources, VisitPlan::LeftOut)?;
        Ok(self.workload.get_or_init(|| workload))
    }
}

/// The files over which [`hash`] goes, but for manifests: relative to `package`, in order.
///
/// # Errors
///
/// As [`hash`].
pub fn files(package: &Path, experiment: &str) -> Result<Vec<PathBuf>, WorkloadError> {
    let workload = Sources::read(package)?.of(experiment)?;
    let included = workload.included().map(|included| match included {
        Included::Text(path) | Included::Bytes(path) => path,
    });
    let files = workload.sources.iter().map(|file| &file.path).chain(included);
    let relative = files.map(|file| lexically_relative(file, package));
    let relative: BTreeSet<PathBuf> = relative.collect();
    Ok(relative.into_iter().collect())
}

/// The hash of the tokens of these Rust files, and of what they include: 16 hexadecimal digits. Where
/// they are counts as relative to `directory`, their order does not, and neither do comments,
/// documentation, layout and tests. The visit plan counts here: this is for what carries it out.
///
/// # Errors
///
/// If a file cannot be read or is not Rust.
pub fn hash_files(
    directory: &Path,
    files: impl IntoIterator<Item = PathBuf>,
) -> Result<String, WorkloadError> {
    let workload = Workload::of_files(files, VisitPlan::Counts)?;
    let mut hasher = Hasher::default();
    workload.hash(directory, &mut hasher)?;
    Ok(hasher.finish())
}

/// All Rust files below a directory, in order; hidden ones are left out.
///
/// # Errors
///
/// If a directory cannot be read.
pub fn rust_files_below(directory: &Path) -> Result<Vec<PathBuf>, WorkloadError> {
    rust_files(directory)
}

/// The Rust files of a package, of which each experiment runs a part.
struct Sources {
    directory: PathBuf,
    library: Crate,
    /// The library's root, without what changes with each further experiment.
    root: Rc<CountedSource>,
    /// The program is a crate of its own beside a library.
    program: Option<Crate>,
}

impl Sources {
    fn read(package: &Path) -> Result<Sources, WorkloadError> {
        let directory = package.join("src");
        let roots = ["lib.rs", "main.rs"].map(|name| directory.join(name));
        let mut roots = roots.into_iter().filter(|root| root.is_file());
        let root = roots.next();
        let root =
            root.ok_or_else(|| WorkloadError::NoRoot { path: package.display().to_string() })?;
        let library = Crate::read(&root)?;
        let tokens = without_lists(&library.files[0].source.tokens);
        let root = Rc::new(CountedSource::new(root, tokens));
        let program = roots.next().map(|root| Crate::read(&root)).transpose()?;
        Ok(Sources { directory, library, root, program })
    }

    /// What counts of them for an experiment.
    fn of(&self, experiment: &str) -> Result<Workload, WorkloadError> {
        let Some(reached) = self.library.reached(&experiment.replace('-', "_")) else {
            return Workload::of_files(rust_files(&self.directory)?, VisitPlan::LeftOut);
        };
        let below = self.library.files.iter().enumerate().skip(1);
        let below = below.filter(|(place, _)| reached.contains(place)).map(|(_, file)| file);
        let program = self.program.iter().flat_map(|program| &program.files);
        let files = below.chain(program).map(|file| Rc::clone(&file.source));
        Ok(Workload { sources: [Rc::clone(&self.root)].into_iter().chain(files).collect() })
    }
}

/// The sources that count.
struct Workload {
    sources: Vec<Rc<CountedSource>>,
}

impl Workload {
    fn of_files(
        files: impl IntoIterator<Item = PathBuf>,
        plan: VisitPlan,
    ) -> Result<Workload, WorkloadError> {
        let sources = files.into_iter().map(|path| {
            let tokens = lex(&path, &read(&path)?, plan)?;
            Ok(Rc::new(CountedSource::new(path, tokens)))
        });
        Ok(Workload { sources: sources.collect::<Result<_, WorkloadError>>()? })
    }

    fn included(&self) -> impl Iterator<Item = &Included> {
        self.sources.iter().flat_map(|source| source.included())
    }

    /// The names by which a crate could be meant.
    fn identifiers(&self) -> HashSet<&str> {
        let texts = self.sources.iter().flat_map(|source| source.texts());
        // A `use` is one text: `use`, then `a::b as c`.
        let names = texts.flat_map(|text| text.split("::").flat_map(|names| names.split(' ')));
        names.map(|name| name.trim_start_matches("r#")).collect()
    }

    fn hash(&self, directory: &Path, hasher: &mut Hasher) -> Result<(), WorkloadError> {
        let mut sources: Vec<(String, &CountedSource)> = self
            .sources
            .iter()
            .map(|source| (slashed(&lexically_relative(&source.path, directory)), &**source))
            .collect();
        sources.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, source) in sources {
            hasher.text(&name);
            hasher.texts(source.texts());
        }
        let mut included = BTreeSet::new();
        for file in self.included() {
            included.insert(match file {
                Included::Text(path) => {
                    let name = slashed(&lexically_relative(path, directory));
                    (name, read(path)?.replace("\r\n", "\n").into_bytes())
                }
                Included::Bytes(path) => {
                    let name = slashed(&lexically_relative(path, directory));
                    let failed = |source| read_error(path, source);
                    (name, fs::read(path).map_err(failed)?)
                }
            });
        }
        for (name, bytes) in included {
            hasher.text(&name);
            hasher.bytes(&bytes);
        }
        Ok(())
    }
}

/// Takes texts, each with its length, so that no two sequences of them are the same bytes.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a String>) {
        let texts: Vec<&String> = texts.into_iter().collect();
        self.0.update((texts.len() as u64).to_le_bytes());
        for text in texts {
            self.text(text);
        }
    }

    /// 16 hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The path relative to a directory above it, with `..` taken back, without a look at the disk.
fn lexically_relative(path: &Path, directory: &Path) -> PathBuf {
    let mut parts = Vec::new();
    for part in path.strip_prefix(directory).unwrap_or(path).components() {
        let named = matches!(parts.last(), Some(std::path::Component::Normal(_)));
        if part == std::path::Component::ParentDir && named {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.into_iter().collect()
}

/// The same on every system.
fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
