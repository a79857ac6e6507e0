//! The modules of a crate: in which files they are, and which of them a module names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, TokenTree};

use super::counted_source::CountedSource;
use super::error::{read, WorkloadError};
use super::tokens::{
    attributes, content, declaration, is_ident, is_item_position, is_path_separator, is_punct, lex,
    text, visibility, Declared, VisitPlan,
};

/// A module's path from the root of its crate, which is empty for the root.
type ModulePath = Vec<String>;

/// A crate as far as its modules go.
pub(super) struct Crate {
    /// The first is the root.
    pub(super) files: Vec<SourceFile>,
    /// In which of the files a module is; those that `cfg` chooses from are all here.
    names: BTreeMap<ModulePath, BTreeSet<usize>>,
    /// Modules whose macros are in scope everywhere.
    with_macros: BTreeSet<ModulePath>,
}

/// A file, without what does not count.
pub(super) struct SourceFile {
    pub(super) source: Rc<CountedSource>,
    module: ModulePath,
}

/// What the files that are taken need of the crate.
#[derive(Default)]
struct NamedModules {
    modules: BTreeSet<ModulePath>,
    /// Everything may be in use: what is named could not be found, or it is all that the root has.
    everything: bool,
}

impl Crate {
    /// Reads a crate from its root file on.
    pub(super) fn read(root: &Path) -> Result<Crate, WorkloadError> {
        let mut read =
            Crate { files: Vec::new(), names: BTreeMap::new(), with_macros: BTreeSet::new() };
        let children = root.parent().unwrap_or(Path::new("")).to_owned();
        read.add_file(root.to_owned(), Vec::new(), &children)?;
        Ok(read)
    }

    /// The places, among the files, of what `module` runs: its own, those below it, those of all that
    /// these name, and the root. `None` if there is no such module, or if that cannot be told.
    pub(super) fn reached(&self, module: &str) -> Option<BTreeSet<usize>> {
        let module = vec![module.to_owned()];
        if !self.names.contains_key(&module) {
            return None;
        }
        let mut waiting = vec![module];
        waiting.extend(self.with_macros.iter().cloned());
        let root = without_lists(&self.files[0].source.tokens);
        let mut named = NamedModules::default();
        self.names_in(&root, &Vec::new(), &mut named);
        if named.everything {
            return None;
        }
        waiting.extend(named.modules);
        let mut taken = BTreeSet::from([0]);
        while let Some(module) = waiting.pop() {
            let below = self.names.range(module.clone()..);
            let below = below.take_while(|(name, _)| name.starts_with(&module));
            let places: BTreeSet<usize> = below.flat_map(|(_, places)| places).copied().collect();
            for place in places {
                if taken.insert(place) {
                    let mut named = NamedModules::default();
                    let file = &self.files[place];
                    self.names_in(&file.source.tokens, &file.module, &mut named);
                    if named.everything {
                        return None;
                    }
                    waiting.extend(named.modules);
                }
            }
        }
        Some(taken)
    }

    fn add_file(
        &mut self,
        path: PathBuf,
        module: ModulePath,
        children: &Path,
    ) -> Result<(), WorkloadError> {
        let tokens = lex(&path, &read(&path)?, VisitPlan::LeftOut)?;
        let place = self.files.len();
        self.names.entry(module.clone()).or_default().insert(place);
        let source = Rc::new(CountedSource::new(path, tokens));
        self.files.push(SourceFile { source: Rc::clone(&source), module: module.clone() });
        self.add_modules(&source.tokens, place, &module, children)
    }

    fn add_modules(
        &mut self,
        tokens: &[TokenTree],
        place: usize,
        module: &ModulePath,
        children: &Path,
    ) -> Result<(), WorkloadError> {
        for start in (0..tokens.len()).filter(|&start| is_item_position(tokens, start)) {
            let here = &tokens[start..];
            if let Some(declaration) = declaration(here) {
                if let Declared::Module(name) = declaration.declared {
                    self.add_declared(&name, declaration.prefix, place, module, children)?;
                }
            } else if let Some(inline) = inline_module(here) {
                let inner = joined(module, inline.name.clone());
                self.note_macros(inline.attributes, &inner);
                self.names.entry(inner.clone()).or_default().insert(place);
                let children = children.join(inline.name);
                self.add_modules(&content(inline.body), place, &inner, &children)?;
            }
        }
        Ok(())
    }

    fn add_declared(
        &mut self,
        name: &str,
        prefix: &[TokenTree],
        place: usize,
        module: &ModulePath,
        children: &Path,
    ) -> Result<(), WorkloadError> {
        let inner = joined(module, name.to_owned());
        self.note_macros(prefix, &inner);
        let name = name.trim_start_matches("r#");
        let by = &self.files[place].source.path;
        let beside = by.parent().unwrap_or(Path::new(""));
        let candidates = match path_attribute(prefix) {
            Some(path) => vec![(beside.join(path), children.join(name))],
            None => vec![
                (children.join(format!("{name}.rs")), children.join(name)),
                (children.join(name).join("mod.rs"), children.join(name)),
            ],
        };
        let found = candidates.into_iter().find(|(file, _)| file.is_file());
        let (file, children) = found.ok_or_else(|| WorkloadError::NoModule {
            path: by.display().to_string(),
            module: name.to_owned(),
        })?;
        self.add_file(file, inner, &children)
    }

    fn note_macros(&mut self, prefix: &[TokenTree], module: &ModulePath) {
        let in_scope = prefix.iter().any(|token| match token {
            TokenTree::Group(group) => {
                content(group).first().is_some_and(|word| is_ident(word, "macro_use"))
            }
            _ => false,
        });
        if in_scope {
            self.with_macros.insert(module.clone());
        }
    }

    /// Notes the modules that tokens of the module `current` name.
    fn names_in(&self, tokens: &[TokenTree], current: &ModulePath, named: &mut NamedModules) {
        let mut place = 0;
        while place < tokens.len() {
            let here = &tokens[place..];
            if is_item_position(tokens, place) {
                if let Some(declaration) = declaration(here) {
                    if let Declared::Use(leaves) = &declaration.declared {
                        for leaf in leaves {
                            self.note(&leaf.path, current, named);
                        }
                    }
                    place += declaration.length;
                    continue;
                }
                if let Some(inline) = inline_module(here) {
                    self.names_in(&content(inline.body), &joined(current, inline.name), named);
                    place += inline.length;
                    continue;
                }
            }
            match &tokens[place] {
                TokenTree::Ident(_) if visibility(here) == 2 => place += 2,
                TokenTree::Ident(_) => {
                    let path = path(here);
                    let of_a_crate = place >= 2 && is_path_separator(&tokens[place - 2..]);
                    if path.len() > 1 && !of_a_crate {
                        self.note(&path, current, named);
                    }
                    // Each segment behind the first stands behind `::`.
                    place += 3 * path.len() - 2;
                }
                TokenTree::Group(group) => {
                    self.names_in(&content(group), current, named);
                    place += 1;
                }
                _ => place += 1,
            }
        }
    }

    /// Notes the module to which a path leads from `current`, if it stays in this crate.
    fn note(&self, path: &[String], current: &ModulePath, named: &mut NamedModules) {
        let Some((first, mut rest)) = path.split_first() else {
            return;
        };
        let mut target = match first.as_str() {
            "crate" | "$crate" => Vec::new(),
            "self" => current.clone(),
            "super" => above(current),
            _ => {
                let child = joined(current, first.clone());
                if !self.names.contains_key(&child) {
                    // Another crate, or a name that a `use` has brought.
                    return;
                }
                child
            }
        };
        while let Some(("super", tail)) = rest.split_first().map(|(s, tail)| (s.as_str(), tail)) {
            target = above(&target);
            rest = tail;
        }
        for segment in rest {
            let inner = joined(&target, segment.clone());
            if !self.names.contains_key(&inner) {
                if target.is_empty() && !self.root_has(segment) {
                    named.everything = true;
                }
                break;
            }
            target = inner;
        }
        if target.is_empty() {
            // What the root itself has counts anyway, but not `use crate as other;`.
            named.everything |= rest.is_empty();
        } else {
            named.modules.insert(target);
        }
    }

    /// Whether the root defines or imports this name: what it then needs is named in the root.
    fn root_has(&self, name: &str) -> bool {
        let tokens = &self.files[0].source.tokens;
        let mut place = 0;
        while place < tokens.len() {
            if is_item_position(tokens, place) {
                if let Some(declaration) = declaration(&tokens[place..]) {
                    if let Declared::Use(leaves) = &declaration.declared {
                        if leaves.iter().any(|leaf| leaf.name() == Some(name)) {
                            return true;
                        }
                    }
                    place += declaration.length;
                    continue;
                }
            }
            place += 1;
            // `fn name`, `struct name`, `const name`, `macro_rules! name`
            let before = tokens[place - 1..].first();
            let defines = match before {
                Some(TokenTree::Ident(word)) => DEFINING.iter().any(|keyword| word == keyword),
                Some(token) => is_punct(token, '!'),
                None => false,
            };
            if defines && tokens.get(place).is_some_and(|token| is_ident(token, name)) {
                return true;
            }
        }
        false
    }
}

/// The words before the name of what an item defines.
const DEFINING: [&str; 9] =
    ["const", "enum", "fn", "mut", "static", "struct", "trait", "type", "union"];

/// The root's tokens without what changes with each further experiment: the `mod` declarations, and
/// the calls `x::experiment()` in a list.
pub(super) fn without_lists(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while place < tokens.len() {
        let here = &tokens[place..];
        if is_item_position(tokens, place) {
            if let Some(declaration) = declaration(here) {
                let length = declaration.length;
                if let Declared::Use(_) = declaration.declared {
                    kept.extend(here[..length].iter().cloned());
                }
                place += length;
                continue;
            }
        }
        let starts = place == 0 || is_punct(&tokens[place - 1], ',');
        if let Some(length) = starts.then(|| listed_experiment(here)).flatten() {
            place += length;
            continue;
        }
        kept.push(match &tokens[place] {
            TokenTree::Group(group) => {
                let content = without_lists(&content(group));
                TokenTree::Group(Group::new(group.delimiter(), content.into_iter().collect()))
            }
            token => token.clone(),
        });
        place += 1;
    }
    kept
}

/// How many tokens `x::experiment(),` has with its attributes, if it stands here.
fn listed_experiment(tokens: &[TokenTree]) -> Option<usize> {
    let attributes = attributes(tokens);
    let rest = &tokens[attributes..];
    let path = path(rest);
    let is_experiment = path.len() > 1 && path.last().is_some_and(|name| name == "experiment");
    let length = (3 * path.len()).checked_sub(2)?;
    let called = matches!(
        rest.get(length),
        Some(TokenTree::Group(group))
            if group.delimiter() == Delimiter::Parenthesis && group.stream().is_empty()
    );
    if !is_experiment || !called {
        return None;
    }
    let ends = match rest.get(length + 1) {
        Some(next) => is_punct(next, ',').then_some(2),
        None => Some(1),
    };
    ends.map(|end| attributes + length + end)
}

/// The segments of the path that begins with the first token, as far as names follow each other.
fn path(tokens: &[TokenTree]) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = tokens;
    while let Some(TokenTree::Ident(name)) = rest.first() {
        segments.push(name.to_string());
        if !is_path_separator(&rest[1..]) {
            break;
        }
        rest = &rest[3..];
    }
    segments
}

/// `mod x { ... }` with its attributes.
struct InlineModule<'a> {
    name: String,
    attributes: &'a [TokenTree],
    body: &'a Group,
    /// How many tokens it has.
    length: usize,
}

fn inline_module(tokens: &[TokenTree]) -> Option<InlineModule<'_>> {
    let (attributes, rest) = tokens.split_at(attributes(tokens));
    let visibility = visibility(rest);
    match &rest[visibility..] {
        [word, TokenTree::Ident(name), TokenTree::Group(body), ..]
            if is_ident(word, "mod") && body.delimiter() == Delimiter::Brace =>
        {
            let length = attributes.len() + visibility + 3;
            Some(InlineModule { name: name.to_string(), attributes, body, length })
        }
        _ => None,
    }
}

/// The file that `#[path = "..."]` names.
fn path_attribute(prefix: &[TokenTree]) -> Option<String> {
    prefix.iter().find_map(|token| match token {
        TokenTree::Group(group) => match content(group).as_slice() {
            [word, equals, TokenTree::Literal(path)]
                if is_ident(word, "path") && is_punct(equals, '=') =>
            {
                text(&path.to_string())
            }
            _ => None,
        },
        _ => None,
    })
}

/// The path of a module in that one, by its name without the `r#` that a keyword needs.
fn joined(module: &ModulePath, name: String) -> ModulePath {
    let mut path = module.clone();
    path.push(name.trim_start_matches("r#").to_owned());
    path
}

fn above(module: &ModulePath) -> ModulePath {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// All Rust files below a directory, in order, without hidden ones.
pub(super) fn rust_files(directory: &Path) -> Result<Vec<PathBuf>, WorkloadError> {
    let failed = |source| WorkloadError::Read { path: directory.display().to_string(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !hidden {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
