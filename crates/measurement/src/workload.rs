//! The code of an experiment: the files that the `Cargo.toml` of its package lists for it, and
//! their hash.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use toml::{Spanned, Table};

use crate::cargo_lock::read_toml;
use crate::ensure::ensure;

/// The section `[package.metadata.measured]` in the `Cargo.toml` of a package.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manifest {
    #[serde(skip)]
    path: PathBuf,
    /// The names of the crates that the package measures; absent if it measures all its
    /// dependencies.
    pub(crate) crates: Option<Vec<String>>,
    /// The files or modules of each experiment, as paths relative to `src`: `units` is `units.rs`
    /// and all Rust files below `units/`. A key is the name of an experiment, `all` for files
    /// that every experiment runs, `*` for files of experiments without a list, or `none` for
    /// files that affect no time, such as lists of modules.
    files: BTreeMap<String, Vec<String>>,
}

impl Manifest {
    /// Reads the manifest of the package in the directory `package`.
    pub fn read(package: &Path) -> Result<Manifest, String> {
        let path = package.join("Cargo.toml");
        let table: Table = read_toml(&path)?;
        let said = table.get("package").and_then(|of| of.get("metadata")?.get("measured"));
        let said = said.cloned().unwrap_or_else(|| Table::new().into()).try_into();
        let wrong = |why| format!("{}/Cargo.toml: {why}", package.display());
        Ok(Manifest { path, ..said.map_err(wrong)? })
    }

    /// Returns the files whose code an experiment runs. Fails if no list applies to the
    /// experiment, or if a list names a missing file.
    pub fn files(&self, experiment: &str) -> Result<BTreeSet<PathBuf>, String> {
        let own = if self.files.contains_key(experiment) { experiment } else { "*" };
        ensure!(
            self.files.contains_key(own),
            "{}no list {experiment:?}: name the files that it runs",
            self.place()
        );
        self.named(|list| list == own || list == "all")
    }

    /// Returns the Rust files below `src` that no list names. Fails if a list names a missing
    /// file.
    pub fn unnamed(&self) -> Result<BTreeSet<PathBuf>, String> {
        Ok(&rust_files(&self.path.with_file_name("src")) - &self.named(|_| true)?)
    }

    fn named(&self, is_wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<PathBuf>, String> {
        let mut all = BTreeSet::new();
        let lists = self.files.iter().filter(|(list, _)| is_wanted(list));
        for (list, name) in lists.flat_map(|(list, of)| of.iter().map(move |name| (list, name))) {
            let path = self.path.with_file_name("src").join(name);
            let mut found = rust_files(&path);
            let alone = [path.with_extension("rs"), path].into_iter().find(|path| path.is_file());
            found.extend(alone.and_then(|file| file.canonicalize().ok()));
            ensure!(
                !found.is_empty(),
                "{}{list:?} names {name:?}, which is not there: correct it",
                self.place()
            );
            all.append(&mut found);
        }
        Ok(all)
    }

    fn place(&self) -> String {
        format!("{}: in [package.metadata.measured.files] ", self.path.display())
    }
}

/// Returns all Rust files below a directory, except hidden ones.
pub fn rust_files(directory: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        files.append(&mut rust_files(&entry.path()));
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rs") && !name.starts_with('.') {
            files.extend(entry.path().canonicalize());
        }
    }
    files
}

/// The hashes of files, by path.
pub type Known = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the joint hash of files, as 16 hexadecimal digits. Hashes the tokens of a Rust file,
/// without comments, documentation and test-only code, and every byte of any other file. File
/// names only determine the order. Doesn't read the files whose hashes are in `known`. Fails if a
/// file cannot be read or isn't Rust.
pub fn hash(files: &BTreeSet<PathBuf>, known: &mut Known) -> Result<String, String> {
    let mut hasher = Sha256::new();
    for file in files {
        if !known.contains_key(file) {
            known.insert(file.clone(), digest(file)?);
        }
        hasher.update(&known[file]);
    }
    Ok(hex(&hasher.finalize()[..8]))
}

/// Reads `counts-as.toml`, next to the packages that measure. The file certifies that a change to
/// the code affects no figure: it lists the old and the new hash, and the reason. Fails, with the
/// line, if an entry is outdated because the code has changed again or no experiment runs it.
pub fn counts_as(experiments: &Path) -> Result<CountsAs, String> {
    let path = experiments.join("counts-as.toml");
    let mut all = CountsAs::default();
    let Ok(text) = fs::read_to_string(&path) else { return Ok(all) };
    let list: List = toml::from_str(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let wrong = |span: Range<usize>, why: String| {
        let line = text[..span.start].matches('\n').count() + 1;
        format!("{}:{line}: {why}", path.display())
    };
    let same = |what: String, is: &str, found: &str| {
        ensure!(
            is == found,
            "{what} not {is} any more, but {found}: show anew that no figure depends on the change, or take out \
             the entry, which makes what was measured stale"
        );
        Ok(())
    };
    let run = files_run(experiments)?;
    for Certified { file, is, counts_as, .. } in list.files {
        let (span, file) = (file.span(), file.into_inner());
        let wrong = |why| wrong(span.clone(), why);
        let path = experiments.join(&file).canonicalize().ok().filter(|path| run.contains(path));
        let path =
            path.ok_or_else(|| wrong(format!("no experiment runs {file}: take out the entry")))?;
        same(format!("the tokens of {file} are"), &is, &hex(&digest(&path)?)).map_err(wrong)?;
        let no_hash = || wrong(format!("{counts_as} is no hash: correct it"));
        all.files.insert(path, bytes(&counts_as).ok_or_else(no_hash)?);
    }
    for entry in list.experiments.into_iter().flat_map(|group| group.hashes) {
        let (span, [name, is, counts_as]) = (entry.span(), entry.into_inner());
        let wrong = |why| wrong(span.clone(), why);
        let (chapter, experiment) = name.split_once('/').unwrap_or((&name, ""));
        let files = Manifest::read(&experiments.join(chapter)).and_then(|of| of.files(experiment));
        let none =
            |why| wrong(format!("there is no experiment {name:?} ({why}): take out the entry"));
        let found = hash(&files.map_err(none)?, &mut all.files)?;
        same(format!("the hash of what {name} runs is"), &is, &found).map_err(wrong)?;
        all.experiments.insert(name, counts_as);
    }
    Ok(all)
}

/// Returns the files that are listed for any experiment.
fn files_run(experiments: &Path) -> Result<BTreeSet<PathBuf>, String> {
    let mut all = BTreeSet::new();
    for package in fs::read_dir(experiments).into_iter().flatten().flatten() {
        if package.path().join("Cargo.toml").is_file() {
            let manifest = Manifest::read(&package.path())?;
            all.append(&mut manifest.named(|list| list != "none")?);
        }
    }
    Ok(all)
}

/// Changes to code that are certified not to affect any figure, each with the hash of the
/// measured code.
#[derive(Default)]
pub struct CountsAs {
    pub(crate) files: Known,
    /// The hash of the measured code, by chapter and experiment, for experiments whose code has
    /// changed without effect on any figure.
    pub(crate) experiments: BTreeMap<String, String>,
}

/// The content of `counts-as.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    files: Vec<Certified>,
    #[serde(default)]
    experiments: Vec<CertifiedExperiments>,
}

/// Experiments whose files were changed or removed without effect on any figure, all for the same
/// reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CertifiedExperiments {
    /// For each experiment, its name, such as `tea/boil`, the hash of its current code, and the
    /// hash of the code that was measured. Hashes have 16 hexadecimal digits.
    hashes: Vec<Spanned<[String; 3]>>,
    #[serde(rename = "why")]
    _why: String,
}

/// A file that was changed without effect on any figure. The hashes are of tokens, with 64
/// hexadecimal digits each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Certified {
    /// The path of the file, relative to `experiments`.
    file: Spanned<String>,
    is: String,
    counts_as: String,
    /// The reason why no figure depends on the change, for human readers.
    #[serde(rename = "why")]
    _why: String,
}

/// Converts bytes to hexadecimal digits, two per byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn digest(file: &Path) -> Result<Vec<u8>, String> {
    Ok(Sha256::digest(counting(file)?).to_vec())
}

/// Returns the part of a file that is hashed: the tokens of a Rust file, or the whole of any
/// other file.
fn counting(file: &Path) -> Result<Vec<u8>, String> {
    let name = file.display();
    let bytes = fs::read(file).map_err(|why| format!("{name}: {why}"))?;
    if file.extension().is_none_or(|extension| extension != "rs") {
        return Ok(bytes);
    }
    // git may have changed the line endings. rustc normalises them, too.
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let not_rust = |at: LexError| format!("{name}:{}: not Rust", at.span().start().line);
    let mut counting = String::new();
    write(text.parse().map_err(not_rust)?, &mut counting);
    Ok(counting.into_bytes())
}

/// Appends to `text` the tokens that are hashed. Leaves out documentation and test-only code.
fn write(tokens: TokenStream, text: &mut String) {
    let is = |token: &TokenTree, sign| matches!(token, TokenTree::Punct(p) if p.as_char() == sign);
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let [token, behind @ ..] = rest {
        rest = behind;
        let (attribute, item) = match behind {
            [TokenTree::Group(of), item @ ..] | [_, TokenTree::Group(of), item @ ..]
                if is(token, '#') =>
            {
                (of.stream().to_string().replace(' ', ""), item)
            }
            _ => (String::new(), behind),
        };
        match token {
            _ if attribute.starts_with("doc=") => rest = item,
            _ if attribute == "cfg(test)" => {
                // Skips to the end of the test-only item. If that stops too early, at a comma
                // inside the item, a little too much is hashed, which is harmless.
                let ends = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    token => is(token, ';') || is(token, ','),
                };
                rest = item.iter().position(ends).map_or(&[], |end| &item[end + 1..]);
            }
            TokenTree::Group(group) => {
                *text += &format!("{:?} ", group.delimiter());
                write(group.stream(), text);
                *text += "end ";
            }
            // `&&` is a different token from `& &`.
            TokenTree::Punct(of) if of.spacing() == Spacing::Joint => text.push(of.as_char()),
            token => *text += &format!("{token} "),
        }
    }
}
