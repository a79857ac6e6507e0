//! What an experiment runs: the files that its chapter's `Cargo.toml` names for it, and their hash.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use toml::Table;

use crate::cargo_lock::read_toml;
use crate::ensure::ensure;

/// What a package's `Cargo.toml` says in `[package.metadata.measured]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manifest {
    #[serde(skip)]
    path: PathBuf,
    /// The crates that the package measures; else they are all that it depends on.
    pub(crate) crates: Option<Vec<String>>,
    /// Paths from `src`, of files or of modules: `units` is `units.rs` and all Rust files below `units/`. Under
    /// its name stands what an experiment runs, under `all` what each runs, under `*` what those run that have
    /// no list, and under `none` that on which no time depends, such as lists of modules.
    files: BTreeMap<String, Vec<String>>,
}

impl Manifest {
    /// Of the package in a directory. An error is in words, as all that follow.
    pub fn read(package: &Path) -> Result<Manifest, String> {
        let path = package.join("Cargo.toml");
        let table: Table = read_toml(&path)?;
        let said = table.get("package").and_then(|of| of.get("metadata")?.get("measured"));
        let said = said.cloned().unwrap_or_else(|| Table::new().into()).try_into();
        let wrong = |why| format!("{}/Cargo.toml: {why}", package.display());
        Ok(Manifest { path, ..said.map_err(wrong)? })
    }

    /// The files that an experiment runs; an error if it has no list, or one that names what is not there.
    pub fn files(&self, experiment: &str) -> Result<BTreeSet<PathBuf>, String> {
        let own = if self.files.contains_key(experiment) { experiment } else { "*" };
        ensure!(
            self.files.contains_key(own),
            "{}no list {experiment:?}: name the files that it runs",
            self.place()
        );
        self.named(&[own, "all"])
    }

    /// The Rust files below `src` that no list names; an error if a list names what is not there.
    pub fn unnamed(&self) -> Result<BTreeSet<PathBuf>, String> {
        let lists: Vec<&str> = self.files.keys().map(String::as_str).collect();
        Ok(&rust_files(&self.path.with_file_name("src")) - &self.named(&lists)?)
    }

    fn named(&self, lists: &[&str]) -> Result<BTreeSet<PathBuf>, String> {
        let mut all = BTreeSet::new();
        for name in lists.iter().filter_map(|list| self.files.get(*list)).flatten() {
            let path = self.path.with_file_name("src").join(name);
            let mut found = rust_files(&path);
            let alone = [path.with_extension("rs"), path].into_iter().find(|path| path.is_file());
            found.extend(alone.and_then(|file| file.canonicalize().ok()));
            ensure!(
                !found.is_empty(),
                "{}{lists:?} name {name:?}, which is not there: correct it",
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

/// All Rust files below a directory but hidden ones.
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

/// The hashes of single files.
pub type Known = BTreeMap<PathBuf, Vec<u8>>;

/// The hash of files, 16 hexadecimal digits; an error if one cannot be read or is not Rust. Of Rust the tokens
/// count, without comments, documentation and what only tests compile; of other files every byte; of names
/// only the order. Files whose hashes are `known` are not read again.
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

/// What counts as what was measured, though it has changed since, with the hash of what was: `counts-as.toml`
/// beside the packages that measure says which and why. An error if a file has changed once more.
pub fn counts_as(experiments: &Path) -> Result<CountsAs, String> {
    let path = experiments.join("counts-as.toml");
    if !path.exists() {
        return Ok(CountsAs::default());
    }
    let list: List = read_toml(&path)?;
    let of_experiments = list.experiments.into_iter().flat_map(|group| group.hashes);
    let of_experiments = of_experiments.map(|[name, is, counts_as]| (name, [is, counts_as]));
    Ok(CountsAs {
        files: files_known(list.files, experiments, &path)?,
        experiments: of_experiments.collect(),
    })
}

fn files_known(files: Vec<Certified>, experiments: &Path, list: &Path) -> Result<Known, String> {
    let known = |Certified { file, is, counts_as, .. }: Certified| {
        let path = experiments.join(&file);
        let found = hex(&digest(&path)?);
        ensure!(
            found == is,
            "{}: the tokens of {file} are not {is} any more, but {found}: take out the entry, which makes \
             what was measured stale, or show anew that no figure depends on the change",
            list.display()
        );
        let path = path.canonicalize().map_err(|why| format!("{}: {why}", path.display()))?;
        Ok((
            path,
            bytes(&counts_as)
                .ok_or_else(|| format!("{}: {counts_as} is no hash", list.display()))?,
        ))
    };
    files.into_iter().map(known).collect()
}

/// What counts as something else.
#[derive(Default)]
pub struct CountsAs {
    pub(crate) files: Known,
    /// By chapter and experiment: the hash of what it runs, and the one that this counts as.
    experiments: BTreeMap<String, [String; 2]>,
}

impl CountsAs {
    /// The hash that `found`, that of what an experiment runs, counts as; an error if the list is about another.
    pub(crate) fn of(&self, experiment: &str, found: String) -> Result<String, String> {
        let Some([is, counts_as]) = self.experiments.get(experiment) else { return Ok(found) };
        ensure!(
            found == *is,
            "counts-as.toml: the hash of what {experiment} runs is not {is} any more, but {found}: take out the \
             entry, which makes what was measured stale, or show anew that no figure depends on the change"
        );
        Ok(counts_as.clone())
    }
}

/// What `counts-as.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    files: Vec<Certified>,
    #[serde(default)]
    experiments: Vec<CertifiedExperiments>,
}

/// Experiments of whose files some have changed, or are gone, for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CertifiedExperiments {
    /// Of each its chapter and name, `tea/boil`, and two hashes of 16 hexadecimal digits: of what it runs, and of
    /// what was measured.
    hashes: Vec<[String; 3]>,
    #[serde(rename = "why")]
    _why: String,
}

/// A changed file on whose change no figure depends. Hashes are of tokens, 64 hexadecimal digits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Certified {
    /// Below `experiments`.
    file: String,
    is: String,
    counts_as: String,
    /// Why no figure depends on it; for those who read the list.
    #[serde(rename = "why")]
    _why: String,
}

/// Bytes as hexadecimal digits, two for each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(digits).collect()
}

/// The hash of a file.
fn digest(file: &Path) -> Result<Vec<u8>, String> {
    Ok(Sha256::digest(counting(file)?).to_vec())
}

/// What counts of a file.
fn counting(file: &Path) -> Result<Vec<u8>, String> {
    let name = file.display();
    let bytes = fs::read(file).map_err(|why| format!("{name}: {why}"))?;
    if file.extension().is_none_or(|extension| extension != "rs") {
        return Ok(bytes);
    }
    // As rustc reads it, however git has written the ends of lines.
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    let not_rust = |at: LexError| format!("{name}:{}: not Rust", at.span().start().line);
    let mut counting = String::new();
    write(text.parse().map_err(not_rust)?, &mut counting);
    Ok(counting.into_bytes())
}

/// Writes the tokens that count.
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
                // To the item's end; or to a comma in it: what follows counts, which is the safe side.
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
            // `&&` is another token than `& &`.
            TokenTree::Punct(of) if of.spacing() == Spacing::Joint => text.push(of.as_char()),
            token => *text += &format!("{token} "),
        }
    }
}
