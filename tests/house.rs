//! The house itself: no two modules use each other, and a name stands for one type.
//!
//! In a circle of modules none can be read, or moved, without the others. So the modules of each crate are
//! read here as a graph: a module uses another if it names something of it, by `crate::`, `super::`, a
//! module of its own, or what any of these re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[path = "common/files.rs"]
mod tree;

/// Where it is known that modules use each other, as `package: module, module, …`. Each is to be untied; one
/// that no longer is fails the test.
const KNOWN: &[&str] = &[];

/// A module's path in its crate; the crate's root has none.
type Module = Vec<String>;

/// A path as it is written, and the name that it is used by.
struct Used {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

/// What a file of a module says.
#[derive(Default)]
struct Contents {
    /// The modules that have files of their own, or stand in it.
    children: BTreeSet<String>,
    used: Vec<Used>,
}

/// The module that a file below `src/` is: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module(file: &Path) -> Module {
    let mut module: Module =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || (module.len() == 1 && matches!(last, Some("lib" | "main"))) {
        module.pop();
    }
    module
}

/// What the files of a program below `directory` say, each by its module.
fn read(directory: &Path, files: &[std::path::PathBuf]) -> BTreeMap<Module, Contents> {
    let mut modules = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(file).expect("it can be read");
        let tokens: TokenStream =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut contents = Contents::default();
        for window in text.lines() {
            let line = window.trim_start().trim_start_matches("pub ");
            let line = line.trim_start_matches("pub(crate) ");
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                contents.children.insert(name.to_owned());
            }
        }
        collect(tokens, &mut contents);
        modules.insert(module(file.strip_prefix(directory).expect("it lies there")), contents);
    }
    modules
}

/// Collects the paths in tokens, but not in those of tests.
fn collect(tokens: TokenStream, contents: &mut Contents) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut place = 0;
    let mut is_public = false;
    while place < tokens.len() {
        match &tokens[place] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let attribute = tokens.get(place + 1).map(ToString::to_string).unwrap_or_default();
                if attribute.replace(' ', "") == "[cfg(test)]" {
                    place = behind_the_item(&tokens, place + 2);
                    continue;
                }
            }
            TokenTree::Ident(ident) if ident == "pub" => is_public = true,
            TokenTree::Ident(ident) if ident == "use" => {
                let end = (place..tokens.len()).find(|&at| is_punct(tokens.get(at), ';'));
                let end = end.unwrap_or(tokens.len());
                use_tree(&tokens[place + 1..end], &[], is_public, &mut contents.used);
                place = end;
                is_public = false;
            }
            TokenTree::Ident(_) if !is_behind_a_path(&tokens, place) => {
                let (path, next) = path(&tokens, place);
                if path.len() > 1 {
                    let name = path[path.len() - 1].clone();
                    contents.used.push(Used { path, name, is_public: false });
                    place = next;
                    continue;
                }
                is_public &= place > 0 && next == place;
            }
            TokenTree::Group(group) => {
                collect(group.stream(), contents);
                // `pub(crate)` is public here as well.
                is_public &= group.delimiter() == Delimiter::Parenthesis;
            }
            _ => {}
        }
        place += 1;
    }
}

/// Where the item behind an attribute ends: behind its braces, or its semicolon.
fn behind_the_item(tokens: &[TokenTree], from: usize) -> usize {
    let ends = |at: &usize| match &tokens[*at] {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(Some(token), ';'),
    };
    (from..tokens.len()).find(ends).map_or(tokens.len(), |at| at + 1)
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn are_colons(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn is_behind_a_path(tokens: &[TokenTree], at: usize) -> bool {
    at > 1 && are_colons(tokens, at - 2)
}

/// The path that begins at a token, and where it ends.
fn path(tokens: &[TokenTree], from: usize) -> (Vec<String>, usize) {
    let (mut path, mut at) = (Vec::new(), from);
    while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
        path.push(ident.to_string());
        at += 1;
        if !are_colons(tokens, at) {
            break;
        }
        at += 2;
    }
    (path, at.max(from + 1))
}

/// What stands behind `use`: `a::{b, c::d as e}`.
fn use_tree(tokens: &[TokenTree], before: &[String], is_public: bool, used: &mut Vec<Used>) {
    let (mut whole, mut at) = (before.to_vec(), 0);
    let mut name = None;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) if ident == "as" => {
                name = tokens.get(at + 1).map(ToString::to_string);
                break;
            }
            TokenTree::Ident(ident) => whole.push(ident.to_string()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for one in inner.split(|token| is_punct(Some(token), ',')) {
                    if !one.is_empty() {
                        use_tree(one, &whole, is_public, used);
                    }
                }
                return;
            }
            // A glob uses the module that it stands behind.
            TokenTree::Punct(punct) if punct.as_char() == '*' => break,
            _ => {}
        }
        at += 1;
    }
    let name = name.or_else(|| whole.last().cloned()).unwrap_or_default();
    used.push(Used { path: whole, name, is_public });
}

/// The module that a path leads to from another one; `None` if out of the crate.
fn resolve(modules: &BTreeMap<Module, Contents>, from: &Module, path: &[String]) -> Option<Module> {
    let mut at = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        child if modules[from].children.contains(child) => [from.as_slice(), &path[..1]].concat(),
        _ => return None,
    };
    let mut rest = &path[1..];
    while let Some((name, behind)) = rest.split_first() {
        let child = [at.as_slice(), std::slice::from_ref(name)].concat();
        if name == "super" {
            at.pop();
        } else if modules.contains_key(&child) {
            at = child;
        } else {
            let contents = modules.get(&at)?;
            let elsewhere = contents.used.iter().find(|used| used.is_public && used.name == *name);
            return match elsewhere {
                Some(used) if used.path != path => resolve(modules, &at, &used.path),
                _ => Some(at),
            };
        }
        rest = behind;
    }
    Some(at)
}

/// Which modules use which.
fn edges(modules: &BTreeMap<Module, Contents>) -> BTreeMap<Module, BTreeSet<Module>> {
    let used_by = |(from, contents): (&Module, &Contents)| {
        // A re-export uses nothing: who names it, names what is behind it.
        let private = contents.used.iter().filter(|used| !used.is_public);
        let used = private.filter_map(|used| resolve(modules, from, &used.path));
        (from.clone(), used.filter(|to| to != from && modules.contains_key(to)).collect())
    };
    modules.iter().map(used_by).collect()
}

/// The groups of modules each of which uses all others of its group, directly or not.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reachable = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            for to in &edges[&module] {
                if seen.insert(to.clone()) {
                    next.push(to.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        edges.keys().map(|module| (module, reachable(module))).collect();
    let mut circles: Vec<BTreeSet<Module>> = Vec::new();
    for (module, reaches) in &reached {
        if reaches.contains(*module) && !circles.iter().any(|circle| circle.contains(*module)) {
            let back = reaches.iter().filter(|other| reached[other].contains(*module));
            circles.push(back.cloned().collect());
        }
    }
    circles
}

fn words(package: &str, circle: &BTreeSet<Module>) -> String {
    let name = |module: &Module| {
        if module.is_empty() {
            "the root".to_owned()
        } else {
            module.join("::")
        }
    };
    format!("{package}: {}", circle.iter().map(name).collect::<Vec<_>>().join(", "))
}

#[test]
fn no_two_modules_use_each_other() {
    let mut found = BTreeMap::new();
    let mut read_modules = 0;
    for parent in ["crates", "experiments"] {
        for entry in fs::read_dir(tree::root().join(parent)).unwrap() {
            let package = entry.unwrap().path();
            let source = package.join("src");
            if !source.is_dir() {
                continue;
            }
            // A binary sees the library from outside.
            let is_of_library = |file: &std::path::PathBuf| {
                !file.starts_with(source.join("bin")) && *file != source.join("main.rs")
            };
            let files = tree::files(&source, "rs").into_iter().filter(is_of_library);
            let modules = read(&source, &files.collect::<Vec<_>>());
            read_modules += modules.len();
            let edges = edges(&modules);
            let package = package.file_name().unwrap().to_string_lossy().into_owned();
            for circle in circles(&edges) {
                let inside = |module: &Module| {
                    let to = edges[module].intersection(&circle).cloned();
                    words(&module.join("::"), &to.collect())
                };
                let ties: Vec<String> = circle.iter().map(inside).collect();
                found.insert(words(&package, &circle), ties.join("\n  "));
            }
        }
    }
    assert!(read_modules > 100, "only {read_modules} modules were read");
    let known: BTreeSet<&str> = KNOWN.iter().copied().collect();
    let fresh: Vec<String> = found
        .iter()
        .filter(|(circle, _)| !known.contains(circle.as_str()))
        .map(|(circle, ties)| format!("{circle}\n  {ties}"))
        .collect();
    assert!(fresh.is_empty(), "modules use each other:\n{}", fresh.join("\n"));
    let untied: Vec<&&str> = known.iter().filter(|circle| !found.contains_key(**circle)).collect();
    assert!(untied.is_empty(), "no longer tied, take it out of KNOWN: {untied:?}");
}

/// What several files call so on purpose: the same thing of each runtime.
const SHARED_NAMES: [&str; 1] = ["Spawner"];

/// The types, and traits, of a file's first level that other modules see.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let behind = line.strip_prefix("pub")?;
        let behind = behind.find(' ').map(|at| &behind[at + 1..])?;
        let keywords = ["struct ", "enum ", "trait ", "type "];
        let name = keywords.iter().find_map(|keyword| behind.strip_prefix(keyword))?;
        name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    })
}

#[test]
fn a_name_stands_for_one_type() {
    let files = tree::files(&tree::root().join("crates"), "rs").into_iter();
    let files = files.chain(tree::files(&tree::root().join("experiments/harness/src"), "rs"));
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("it can be read");
        let place = file.strip_prefix(tree::root()).expect("it lies there").display().to_string();
        for name in public_types(&text).filter(|name| !SHARED_NAMES.contains(name)) {
            named.entry(name.to_owned()).or_default().push(place.clone());
        }
    }
    assert!(named.len() > 100, "only {} types were read", named.len());
    named.retain(|_, files| files.len() > 1);
    assert!(named.is_empty(), "say which is which in their names: {named:#?}");
}

#[test]
fn a_circle_is_found_through_a_re_export_too() {
    let directory = tempfile::tempdir().unwrap();
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\n"),
        ("a.rs", "use crate::b::{B, Other};\npub struct A(B);\n"),
        (
            "b.rs",
            "pub fn b() -> crate::A { crate::c::c() }\n#[cfg(test)]\nmod tests { use crate::c; }",
        ),
        ("c.rs", "#[cfg(test)]\nmod tests { use crate::a; }\npub fn c() {}\n"),
    ];
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let modules = read(directory.path(), &tree::files(directory.path(), "rs"));
    let circles = circles(&edges(&modules));
    let of = |name: &str| vec![name.to_owned()];
    assert_eq!(circles, [BTreeSet::from([of("a"), of("b")])]);
}
