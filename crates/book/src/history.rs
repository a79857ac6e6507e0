//! What the pages claimed at each commit, as git tells it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use mdbook_measured::claim_records::hash;
use mdbook_measured::driver::{PageSource, stated_on};

/// The commits that led to the one that is checked out, and what their pages claimed.
#[derive(Debug)]
pub struct History {
    root: PathBuf,
    /// Where the pages are, relative to the root.
    src: PathBuf,
    /// Newest first: the first is the one that is checked out.
    commits: Vec<Commit>,
    /// The claims of each version of a page that has been read.
    pages: HashMap<Version, Hashes>,
    /// The claims at each commit that has been read.
    read: HashMap<String, Hashes>,
}

/// A version of a page: git's name for it, and for that of the chapter above it, whose names it uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Version {
    path: String,
    name: String,
    above: Option<(String, String)>,
}

/// A commit.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// When it was committed, UTC, RFC 3339.
    pub time: String,
    /// The full names of those before it.
    pub parents: Vec<String>,
}

/// The hashes of claims, by their ids.
pub type Hashes = BTreeMap<String, String>;

impl History {
    /// The history of the book in `root`, whose pages are in `src` under it.
    ///
    /// # Errors
    ///
    /// If there is no git, no repository, or one whose older commits were not fetched.
    pub fn read(root: &Path, src: &Path) -> Result<History> {
        if git(root, &["rev-parse", "--is-shallow-repository"])?.trim() != "false" {
            bail!("the repository is shallow: fetch the rest with `git fetch --unshallow`");
        }
        let log =
            ["log", "--format=%H %cd %P", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "HEAD", "--"];
        let commits = git(root, &log)?.lines().filter_map(Commit::read).collect();
        let (root, src) = (root.to_owned(), src.to_owned());
        Ok(History { root, src, commits, pages: HashMap::new(), read: HashMap::new() })
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Option<&Commit> {
        self.commits.first()
    }

    /// The one commit whose name begins so.
    pub fn commit(&self, begins: &str) -> Option<&Commit> {
        let mut found = self.commits.iter().filter(|commit| commit.id.starts_with(begins));
        match (found.next(), found.next()) {
            (Some(commit), None) => Some(commit),
            _ => None,
        }
    }

    /// What the pages claimed at a commit. What today's book could not read is left out.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn claims_at(&mut self, commit: &str) -> Result<&Hashes> {
        if !self.read.contains_key(commit) {
            let hashes = self.read_commit(commit)?;
            self.read.insert(commit.to_owned(), hashes);
        }
        Ok(&self.read[commit])
    }

    fn read_commit(&mut self, commit: &str) -> Result<Hashes> {
        let src = self.src.to_string_lossy().into_owned();
        let tree = git(&self.root, &["ls-tree", "-r", "-z", commit, "--", &src])?;
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for entry in tree.split('\0') {
            // `mode type name<TAB>path`
            let Some((object, path)) = entry.split_once('\t') else { continue };
            let Some(name) = object.split(' ').nth(2) else { continue };
            if path.ends_with(".md") {
                names.insert(path.to_owned(), name.to_owned());
            }
        }
        let mut hashes = Hashes::new();
        for (path, name) in &names {
            let chapter = self.source(path, String::new()).chapter_above();
            let chapter =
                chapter.map(|chapter| self.src.join(chapter).to_string_lossy().into_owned());
            let above =
                chapter.and_then(|chapter| Some((chapter.clone(), names.get(&chapter)?.clone())));
            let version = Version { path: path.clone(), name: name.clone(), above };
            if !self.pages.contains_key(&version) {
                let read = self.read_version(&version)?;
                self.pages.insert(version.clone(), read);
            }
            hashes.extend(self.pages[&version].clone());
        }
        Ok(hashes)
    }

    /// The claims on a page that can be read.
    fn read_version(&self, version: &Version) -> Result<Hashes> {
        let Version { path, name, above } = version;
        let mut sources = Vec::new();
        for (path, name) in [Some((path, name)), above.as_ref().map(|(path, name)| (path, name))]
            .into_iter()
            .flatten()
        {
            sources.push(self.source(path, git(&self.root, &["cat-file", "blob", name])?));
        }
        // The page itself is the first.
        let claims = stated_on(sources);
        Ok(claims.iter().map(|claim| (claim.id.clone(), hash(claim))).collect())
    }

    /// A page as today's book reads it.
    fn source(&self, file: &str, text: String) -> PageSource {
        // Until method 4, claims named a class of noise floor, which decides nothing.
        let is_read = |line: &&str| !line.starts_with("floor");
        let text: String = text.split_inclusive('\n').filter(is_read).collect();
        let path = Path::new(file).strip_prefix(&self.src).unwrap_or(Path::new(file)).to_owned();
        PageSource { file: file.to_owned(), source: path.clone(), path, text }
    }

    /// The commit since which a claim under one of these ids has had this hash without a break; none if
    /// it has another in the commit that is checked out.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn introduced(&mut self, ids: &[&str], wanted: &str) -> Result<Option<Commit>> {
        let places: HashMap<String, usize> =
            self.commits.iter().enumerate().map(|(place, c)| (c.id.clone(), place)).collect();
        let (mut with_it, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<usize> = (0..self.commits.len().min(1)).collect();
        while let Some(place) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            let commit = self.commits[place].clone();
            let hashes = self.claims_at(&commit.id)?;
            if ids.iter().any(|id| hashes.get(*id).is_some_and(|hash| hash == wanted)) {
                open.extend(commit.parents.iter().filter_map(|parent| places.get(parent)));
                with_it.push(commit);
            }
        }
        let names: HashSet<&str> = with_it.iter().map(|commit| commit.id.as_str()).collect();
        let begins =
            |commit: &&Commit| !commit.parents.iter().any(|id| names.contains(id.as_str()));
        // Two branches may have brought it in.
        Ok(with_it.iter().filter(begins).min_by_key(|commit| &commit.time).cloned())
    }
}

impl Commit {
    /// Reads `name time parents...`.
    fn read(line: &str) -> Option<Commit> {
        let mut words = line.split(' ').map(str::to_owned);
        let (id, time) = (words.next()?, words.next()?);
        Some(Commit { id, time, parents: words.filter(|word| !word.is_empty()).collect() })
    }

    /// Its name, as short as people write it.
    pub fn short(&self) -> &str {
        self.id.get(..SHORT).unwrap_or(&self.id)
    }
}

/// How many digits of a commit's name are written.
const SHORT: usize = 10;

/// What git prints, run in a directory.
fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    let git = git.current_dir(directory).args(arguments).env("TZ", "UTC0");
    let output = git.output().context("git cannot be run")?;
    if !output.status.success() {
        let command = arguments.join(" ");
        bail!("git {command}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
