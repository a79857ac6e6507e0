//! Since when the pages have claimed what they claim, as git tells it.

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use mdbook_measured::claim::records::{ClaimRecord, hash};
use mdbook_measured::driver::{PageSource, chapter_above, stated_on};

/// What git prints, run in a directory.
///
/// Fails if it cannot be run, or what it says went wrong.
pub fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    let output = git.current_dir(directory).args(arguments).env("TZ", "UTC0").output();
    let output = output.context("git cannot be run")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {}: {}", arguments.join(" "), error.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What git hands out of its objects, one after the other, by one process.
struct Objects {
    git: Child,
    asked: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Objects {
    fn of(directory: &Path) -> Result<Objects> {
        let mut git = Command::new("git");
        git.current_dir(directory).args(["cat-file", "--batch"]);
        let git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut git = git.context("git cannot be run")?;
        let (asked, told) = git.stdin.take().zip(git.stdout.take()).context("git has no pipes")?;
        Ok(Objects { git, asked, told: BufReader::new(told) })
    }

    /// The text of the object of a name.
    fn text(&mut self, name: &str) -> Result<String> {
        writeln!(self.asked, "{name}")?;
        // `NAME blob SIZE`, or what is wrong.
        let mut head = String::new();
        self.told.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
        let size = size.with_context(|| format!("git cat-file: {name}: {}", head.trim_end()))?;
        // A line break is behind it.
        let mut bytes = vec![0; size + 1];
        self.told.read_exact(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes[..size]).into_owned())
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It ends by itself when nobody can ask it any more, which is later than here.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

/// Since which commit the claim of each record has had its hash without a break, under its id or one that it had
/// before: the time (UTC, RFC 3339) and ten digits of the name. It is the commit that the record names, if that is
/// one of them, else the oldest. None if the claim has another hash today. Fails if there is no repository, or one
/// whose older commits were not fetched.
pub(crate) fn since(src: &Path, records: &[ClaimRecord]) -> Result<Vec<Option<(String, String)>>> {
    let is_shallow = git(src, &["rev-parse", "--is-shallow-repository"])?;
    ensure!(
        is_shallow.trim() == "false",
        "the repository is shallow: fetch the rest with `git fetch --unshallow`"
    );
    let log = "log --topo-order --full-history --parents --date=format-local:%Y-%m-%dT%H:%M:%SZ";
    let form = ["--format=%H %cd %P", "HEAD", "--", "."];
    let log = git(src, &[log.split(' ').collect(), form.to_vec()].concat())?;
    let mut found: Vec<Option<(String, String)>> = vec![None; records.len()];
    let (mut objects, mut pages) = (Objects::of(src)?, HashMap::new());
    // The records that are unbroken down to a commit, and those whose commit was found as they name it.
    let mut unbroken: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    let mut named = BTreeSet::new();
    for (place, line) in log.lines().enumerate() {
        let mut words = line.split(' ');
        let (Some(commit), Some(time)) = (words.next(), words.next()) else { continue };
        let mut open = unbroken.remove(commit).unwrap_or_default();
        if place == 0 {
            open.extend(0..records.len());
        }
        open.retain(|of| !named.contains(of));
        if open.is_empty() {
            continue;
        }
        let hashes = hashes_at(src, &mut objects, commit, &mut pages)?;
        let stands = |of: &ClaimRecord| of.ids().any(|id| hashes.get(id) == Some(&of.hash));
        open.retain(|&of| stands(&records[of]));
        for &of in &open {
            let is_named = records[of].commit.as_ref().is_some_and(|name| commit.starts_with(name));
            // Two branches may have brought it in.
            if is_named || found[of].as_ref().is_none_or(|(oldest, _)| time <= oldest.as_str()) {
                found[of] = Some((time.to_owned(), commit[..10].to_owned()));
            }
            named.extend(is_named.then_some(of));
        }
        for parent in words {
            unbroken.entry(parent).or_default().extend(&open);
        }
    }
    Ok(found)
}

/// The hashes of all claims of a commit, by their ids; `pages` are those of each version of a page. What today's
/// book could not read is left out.
fn hashes_at(
    src: &Path,
    objects: &mut Objects,
    commit: &str,
    pages: &mut HashMap<String, Vec<(String, String)>>,
) -> Result<HashMap<String, String>> {
    // `mode type name<TAB>path`
    let tree = git(src, &["ls-tree", "-r", "-z", commit])?;
    let entries = tree.split('\0').filter_map(|entry| entry.split_once('\t'));
    let names: HashMap<PathBuf, &str> =
        entries.filter_map(|(of, path)| Some((path.into(), of.split(' ').nth(2)?))).collect();
    let mut hashes = HashMap::new();
    for page in names.iter().filter(|(path, _)| path.extension().is_some_and(|it| it == "md")) {
        // Its names are those of the chapter above it as well.
        let above = chapter_above(page.0).and_then(|above| names.get_key_value(&above));
        let version = format!("{page:?} {above:?}");
        if !pages.contains_key(&version) {
            let mut sources = vec![source(objects, page.0, page.1)?];
            // Most pages claim nothing, and need not be read.
            if !sources[0].text.contains("```claim") {
                sources.clear();
            } else if let Some((path, name)) = above {
                sources.insert(0, source(objects, path, name)?);
            }
            let stated = stated_on(sources);
            let of_page = stated.iter().map(|claim| (claim.id.clone(), hash(claim))).collect();
            pages.insert(version.clone(), of_page);
        }
        hashes.extend(pages[&version].iter().cloned());
    }
    Ok(hashes)
}

fn source(objects: &mut Objects, path: &Path, name: &str) -> Result<PageSource> {
    let text = objects.text(name)?;
    // Until method 4, claims named a class of noise floor, which decides nothing.
    let is_read = |line: &&str| !line.starts_with("floor");
    let text = text.split_inclusive('\n').filter(is_read).collect();
    let (file, path) = (path.display().to_string(), path.to_owned());
    Ok(PageSource { file, source: path.clone(), path, text })
}
