//! The house itself: within a package no module uses one that uses it, not even in a longer circle, and a name
//! stands for one type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{files, read, root};

/// The packages of the workspace but its root.
pub(crate) fn packages() -> Vec<PathBuf> {
    let all = ["crates", "experiments"].map(|parent| fs::read_dir(root().join(parent)).unwrap());
    let all = all.into_iter().flatten().map(|entry| entry.unwrap().path());
    all.filter(|package| package.join("Cargo.toml").is_file()).collect()
}

/// The words of a file, without comments and the tests at its end.
fn words(text: &str) -> Vec<String> {
    let tests =
        ["\n#[cfg(test)]\nmod ", "\n#[cfg(all(test"].iter().filter_map(|it| text.find(it)).min();
    let lines = text[..tests.unwrap_or(text.len())]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut code = lines.collect::<Vec<_>>().join(" ");
    for sign in ["(", ")", "{", "}", "<", ">", "&", ",", ";", "::"] {
        code = code.replace(sign, &format!(" {sign} "));
    }
    code.split_whitespace().map(str::to_owned).collect()
}

/// The paths that a file names, and whether others may name them by it: `pub use a::{b, c::d}` names two.
fn named(words: &[String]) -> Vec<(Vec<String>, bool)> {
    let (mut named, mut path, mut is_public) = (Vec::new(), Vec::new(), false);
    // What stands before each brace that is open.
    let mut outer: Vec<Vec<String>> = Vec::new();
    for three in words.windows(3) {
        let [before, word, next] = [0, 1, 2].map(|at| three[at].as_str());
        match word {
            "{" => outer.push(if before == "::" { path.clone() } else { Vec::new() }),
            "}" => drop(outer.pop()),
            "use" => is_public = ["pub", ")"].contains(&before),
            ";" => is_public = false,
            word if word.starts_with(|c: char| c.is_alphabetic()) => {
                if before != "::" {
                    path = outer.last().cloned().unwrap_or_default();
                }
                path.push(word.to_owned());
                if next != "::" && path.len() > 1 {
                    named.push((path.clone(), is_public));
                }
            }
            _ => {}
        }
    }
    named
}

/// Which modules of a package use which. Each file is given by its place in `src`; a module is written with all those
/// above it, as `::chart::rows`.
fn uses(files: &[(PathBuf, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let module = |file: &Path| match file.with_extension("").to_string_lossy().replace('/', "::") {
        path if path == "lib" => String::new(),
        path => format!("::{path}"),
    };
    let named: Vec<_> =
        files.iter().map(|(file, text)| (module(file), named(&words(text)))).collect();
    // Each name of another module, and that to which it leads.
    let mut exports: BTreeMap<String, String> =
        named.iter().map(|(module, _)| (module.clone(), module.clone())).collect();
    let resolve = |from: &str, path: &[String], exports: &BTreeMap<String, String>| {
        let mut at = if path[0] == "crate" { String::new() } else { from.to_owned() };
        for (place, name) in path.iter().enumerate() {
            match (&**name, exports.get(&format!("{at}::{name}"))) {
                ("crate" | "self", _) if place == 0 => {}
                ("super", _) => at = at.rsplit_once("::")?.0.to_owned(),
                (_, Some(to)) => at.clone_from(to),
                // Out of the package.
                _ if place == 0 => return None,
                _ => break,
            }
        }
        Some(at).filter(|to| to != from)
    };
    // Twice, for what is exported again.
    for (module, paths) in named.iter().chain(&named) {
        for (path, _) in paths.iter().filter(|(_, is_public)| *is_public) {
            if let Some(to) = resolve(module, path, &exports) {
                exports.insert(format!("{module}::{}", path[path.len() - 1]), to);
            }
        }
    }
    let uses = named.iter().map(|(module, paths)| {
        // A re-export uses nothing: who names it, names what is behind it.
        let private = paths.iter().filter(|(_, is_public)| !is_public);
        (module.clone(), private.filter_map(|(path, _)| resolve(module, path, &exports)).collect())
    });
    uses.collect()
}

/// What of it is in circles: only what uses others, and is used.
fn circles(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let known: BTreeSet<String> = uses.keys().cloned().collect();
        let used: BTreeSet<String> = uses.values().flatten().cloned().collect();
        uses.values_mut().for_each(|to| to.retain(|to| known.contains(to)));
        uses.retain(|module, to| !to.is_empty() && used.contains(module));
        if uses.len() == known.len() {
            return uses;
        }
    }
}

/// The sources of a package's library, which a binary sees from outside.
pub(crate) fn sources(package: &Path) -> Vec<(PathBuf, String)> {
    let source = package.join("src");
    let files = files(&source, ".rs").into_iter();
    let of_library = files.filter(|file| *file != Path::new("main.rs") && !file.starts_with("bin"));
    of_library.map(|file| (file.clone(), read(source.join(file)))).collect()
}

#[test]
fn no_two_modules_use_each_other() {
    let mut count = 0;
    for package in packages() {
        let uses = uses(&sources(&package));
        count += uses.values().map(BTreeSet::len).sum::<usize>();
        let circles = circles(uses);
        assert!(circles.is_empty(), "in {} use each other: {circles:#?}", package.display());
    }
    assert!(count > 300, "only {count} uses were found");
}

/// What several files call so on purpose: the same thing of each runtime.
const SHARED_NAMES: [&str; 1] = ["Spawner"];

#[test]
fn a_name_stands_for_one_type() {
    let mut named: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for package in packages()
        .into_iter()
        .filter(|of| of.ends_with("harness") || !of.starts_with(root().join("experiments")))
    {
        for (file, text) in sources(&package) {
            for line in text.lines().map(|line| line.replace("pub(crate)", "pub")) {
                let words: Vec<&str> = line.split([' ', '<', '(', ';', ':']).collect();
                let ["pub", "struct" | "enum" | "trait" | "type", name, ..] = words[..] else {
                    continue;
                };
                if !SHARED_NAMES.contains(&name) {
                    named.entry(name.to_owned()).or_default().push(package.join(&file));
                }
            }
        }
    }
    assert!(named.len() > 100, "only {} types were read", named.len());
    named.retain(|_, files| files.len() > 1);
    assert!(named.is_empty(), "say which is which in their names: {named:#?}");
}
