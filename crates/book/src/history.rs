//! Since when the pages have claimed what they claim, as git tells it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use mdbook_measured::claim::records::{ClaimRecord, hash};
use mdbook_measured::driver::{PageSource, chapter_above, stated_on};

/// What git prints, run in a directory.
pub fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    let output = git.current_dir(directory).args(arguments).env("TZ", "UTC0").output();
    let output = output.context("git cannot be run")?;
    if !output.status.success() {
        let (command, error) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        bail!("git {command}: {}", error.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The commits that changed a page, and what their pages claimed.
pub(crate) struct History {
    /// Where the pages are.
    src: PathBuf,
    /// Each with its time, UTC, RFC 3339, and the next ones before it; none stands behind these.
    commits: Vec<(String, String, Vec<String>)>,
    /// The hashes of the claims at each, by their ids.
    claims: HashMap<String, HashMap<String, String>>,
    /// Those of each version of a page.
    of_page: HashMap<String, Vec<(String, String)>>,
}

impl History {
    /// That of the pages in `src`.
    ///
    /// # Errors
    ///
    /// If there is no git, no repository, or one whose older commits were not fetched.
    pub(crate) fn of(src: PathBuf) -> Result<History> {
        if git(&src, &["rev-parse", "--is-shallow-repository"])?.trim() != "false" {
            bail!("the repository is shallow: fetch the rest with `git fetch --unshallow`");
        }
        let log =
            "log --topo-order --full-history --parents --date=format-local:%Y-%m-%dT%H:%M:%SZ";
        let form = ["--format=%H %cd %P", "HEAD", "--", "."];
        let log = git(&src, &[log.split(' ').collect(), form.to_vec()].concat())?;
        let commit = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            Some((words.next()?, words.next()?, words.collect()))
        };
        let commits = log.lines().filter_map(commit).collect();
        Ok(History { src, commits, claims: HashMap::new(), of_page: HashMap::new() })
    }

    /// Since which commit the claim of a record has had its hash without a break, under its id or one that it had
    /// before: the time, and ten digits of the name. It is the commit that the record names, if that is one
    /// of them, else the oldest. None if it has another hash today.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(crate) fn since(&mut self, record: &ClaimRecord) -> Result<Option<(String, String)>> {
        let mut unbroken: HashSet<String> =
            self.commits.iter().take(1).map(|(id, ..)| id.clone()).collect();
        let mut found: Option<(String, String)> = None;
        for place in 0..self.commits.len() {
            let (id, time, parents) = self.commits[place].clone();
            if !unbroken.contains(&id) || !self.has(&id, record)? {
                continue;
            }
            unbroken.extend(parents);
            let is_named = record.commit.as_ref().is_some_and(|name| id.starts_with(name));
            // Two branches may have brought it in.
            if is_named || found.as_ref().is_none_or(|(oldest, _)| time <= *oldest) {
                found = Some((time, id[..10].to_owned()));
            }
            if is_named {
                break;
            }
        }
        Ok(found)
    }

    fn has(&mut self, commit: &str, record: &ClaimRecord) -> Result<bool> {
        if !self.claims.contains_key(commit) {
            let claims = self.read(commit)?;
            self.claims.insert(commit.to_owned(), claims);
        }
        let claims = &self.claims[commit];
        Ok(record.ids().any(|id| claims.get(id) == Some(&record.hash)))
    }

    /// The hashes of all claims of a commit. What today's book could not read is left out.
    fn read(&mut self, commit: &str) -> Result<HashMap<String, String>> {
        // `mode type name<TAB>path`
        let tree = git(&self.src, &["ls-tree", "-r", "-z", commit])?;
        let objects = tree.split('\0').filter_map(|entry| entry.split_once('\t'));
        let objects =
            objects.filter_map(|(object, path)| Some((path.into(), object.split(' ').nth(2)?)));
        let names: HashMap<PathBuf, &str> = objects.collect();
        let mut claims = HashMap::new();
        for page in names.iter().filter(|(path, _)| path.extension().is_some_and(|it| it == "md")) {
            // Its names are those of the chapter above it as well.
            let above = chapter_above(page.0).and_then(|above| names.get_key_value(&above));
            let version = format!("{page:?} {above:?}");
            if !self.of_page.contains_key(&version) {
                let sources =
                    [page].into_iter().chain(above).map(|(path, name)| self.source(path, name));
                let stated = stated_on(sources.collect::<Result<_>>()?);
                let hashes = stated.iter().map(|claim| (claim.id.clone(), hash(claim)));
                self.of_page.insert(version.clone(), hashes.collect());
            }
            claims.extend(self.of_page[&version].iter().cloned());
        }
        Ok(claims)
    }

    fn source(&self, path: &Path, name: &str) -> Result<PageSource> {
        let text = git(&self.src, &["cat-file", "blob", name])?;
        // Until method 4, claims named a class of noise floor, which decides nothing.
        let is_read = |line: &&str| !line.starts_with("floor");
        let text = text.split_inclusive('\n').filter(is_read).collect();
        let (file, path) = (path.display().to_string(), path.to_owned());
        Ok(PageSource { file, source: path.clone(), path, text })
    }
}
