//! Checks the structure of the code: within a package, modules don't use each other in circles,
//! and each name belongs to one type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

use crate::common::{files, read, root};

/// Returns the directories of the packages in the workspace, except the root package.
pub(crate) fn packages() -> Vec<PathBuf> {
    let all = ["crates", "experiments"].map(|parent| fs::read_dir(root().join(parent)).unwrap());
    let all = all.into_iter().flatten().map(|entry| entry.unwrap().path());
    all.filter(|package| package.join("Cargo.toml").is_file()).collect()
}

/// Returns the source files of a package's library, with their contents. Binaries are left out,
/// because they only use the library from outside.
pub(crate) fn sources(package: &Path) -> Vec<(PathBuf, String)> {
    let source = package.join("src");
    let files = files(&source, ".rs").into_iter();
    let of_library = files.filter(|file| *file != Path::new("main.rs") && !file.starts_with("bin"));
    of_library.map(|file| (file.clone(), read(source.join(file)))).collect()
}

/// Returns the code of a file without comments, and without the tests at its end. Paths are
/// written out: `a::{b, c}` becomes `a::b, a::c`.
fn written_out(text: &str) -> String {
    let tests = Regex::new(r"(?s)\n#\[cfg\((?:test\)\]\nmod |all\(test).*|//.*?\n").unwrap();
    let group = Regex::new(r"([\w:]+)::\{([^{}]*)\}").unwrap();
    let mut code = tests.replace_all(text, "\n").into_owned();
    while group.is_match(&code) {
        let paths = |group: &Captures<'_>| {
            let names = group[2].split(',').map(str::trim);
            names.map(|name| format!("{}::{name}", &group[1])).collect::<Vec<_>>().join(", ")
        };
        code = group.replace_all(&code, paths).into_owned();
    }
    code
}

/// Returns the modules of a package, each with the modules that it uses. The name of a module
/// includes its parents, as in `::chart::rows`.
fn uses(package: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let sources = sources(package);
    let module = |file: &Path| match file.with_extension("").to_string_lossy().replace('/', "::") {
        path if path == "lib" => String::new(),
        path => format!("::{path}"),
    };
    // A re-export doesn't count as a use. A module that names the re-export uses the module that
    // it leads to.
    let mut named: Vec<(String, bool, String)> = Vec::new();
    let path = Regex::new(r"\w+(?:::\w+)+").unwrap();
    for (file, text) in &sources {
        for statement in written_out(text).split(';') {
            let is_public = statement.contains("pub use ") || statement.contains(") use ");
            let paths = path.find_iter(statement).map(|path| path.as_str().to_owned());
            named.extend(paths.map(|path| (module(file), is_public, path)));
        }
    }
    // Maps the path of each module and of each re-export to the module that it leads to.
    let modules = sources.iter().map(|(file, _)| (module(file), module(file)));
    let mut exports: BTreeMap<String, String> = modules.collect();
    // A module with an explicit path is a module of its own, even if others include the same
    // file.
    let with_path = Regex::new(r#"#\[path = "[^"]*"\]\s*mod (\w+);"#).unwrap();
    for (file, text) in &sources {
        for found in with_path.captures_iter(text) {
            let name = format!("{}::{}", module(file), &found[1]);
            exports.insert(name.clone(), name);
        }
    }
    let resolve = |from: &str, path: &str, exports: &BTreeMap<String, String>| {
        let mut at = if path.starts_with("crate::") { String::new() } else { from.to_owned() };
        for (place, name) in path.split("::").enumerate() {
            match (name, exports.get(&format!("{at}::{name}"))) {
                ("crate" | "self", _) if place == 0 => {}
                ("super", _) => at = at.rsplit_once("::")?.0.to_owned(),
                (_, Some(to)) => at.clone_from(to),
                // The path leads outside of the package.
                _ if place == 0 => return None,
                _ => break,
            }
        }
        Some(at).filter(|to| to != from)
    };
    // Go through the re-exports twice, to resolve re-exports of re-exports.
    for (module, _, path) in named.iter().chain(&named).filter(|(_, is_public, _)| *is_public) {
        if let Some(to) = resolve(module, path, &exports) {
            exports.insert(format!("{module}::{}", path.rsplit("::").next().unwrap()), to);
        }
    }
    let mut uses = BTreeMap::<String, BTreeSet<String>>::new();
    for (module, _, path) in named.iter().filter(|(_, is_public, _)| !is_public) {
        uses.entry(module.clone()).or_default().extend(resolve(module, path, &exports));
    }
    uses
}

/// A program can be limited both by a mask of processors and by a quota, so counting cores in
/// several places could give different answers. Published code keeps its own way to count. The
/// experiment `quota` reports how `std` treats a quota.
#[test]
fn how_many_cores_there_are_is_asked_in_one_place() {
    for package in packages() {
        for (file, text) in sources(&package) {
            let may = file.starts_with("listings")
                || file.ends_with("quota/server.rs")
                || package.join(&file).ends_with("host/cores.rs");
            let asks = written_out(&text).contains("available_parallelism");
            assert!(may || !asks, "{}: {}: ask host::cores", package.display(), file.display());
        }
    }
}

#[test]
fn no_two_modules_use_each_other() {
    let mut count = 0;
    for package in packages() {
        let mut uses = uses(&package);
        count += uses.values().map(BTreeSet::len).sum::<usize>();
        // Keep only modules that use others and are used by others, until nothing changes. If any
        // modules remain, some of them use each other in a circle.
        let mut before = usize::MAX;
        while uses.len() < before {
            before = uses.len();
            let known: BTreeSet<String> = uses.keys().cloned().collect();
            uses.values_mut().for_each(|to| to.retain(|to| known.contains(to)));
            let used: BTreeSet<String> = uses.values().flatten().cloned().collect();
            uses.retain(|module, to| !to.is_empty() && used.contains(module));
        }
        assert!(uses.is_empty(), "in {} use each other: {uses:#?}", package.display());
    }
    assert!(count > 300, "only {count} uses were found");
}

/// A type name that several files share deliberately, because it has the same meaning for each
/// runtime.
const SHARED_NAME: &str = "Spawner";

#[test]
fn a_name_stands_for_one_type() {
    let mut named: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let is_apparatus =
        |of: &PathBuf| of.ends_with("harness") || !of.starts_with(root().join("experiments"));
    let ty = Regex::new(r"(?m)^pub(?:\(crate\))? (?:struct|enum|trait|type) (\w+)").unwrap();
    for package in packages().into_iter().filter(is_apparatus) {
        for (file, text) in sources(&package) {
            for found in ty.captures_iter(&text) {
                named.entry(found[1].to_owned()).or_default().push(package.join(&file));
            }
        }
    }
    assert!(named.len() > 100, "only {} types were read", named.len());
    named.retain(|name, files| files.len() > 1 && name != SHARED_NAME);
    assert!(named.is_empty(), "say which is which in their names: {named:#?}");
}
