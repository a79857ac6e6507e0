//! Checks that the workspace is complete: `cargo test` runs all tests, and each chapter has all
//! its parts.

use std::collections::BTreeSet;

use ::book::measure;
use toml::{Table, Value};

use crate::common::{files, read, root};
use crate::house::{packages, sources};
use crate::BOOK;

#[test]
fn every_member_is_a_default_member() {
    let workspace: Table = read("Cargo.toml").parse().unwrap();
    let named = workspace["workspace"]["default-members"].as_array().unwrap();
    let named: BTreeSet<&str> = named.iter().filter_map(Value::as_str).collect();
    let packages = packages();
    let members = packages.iter().map(|of| of.strip_prefix(root()).unwrap().to_str().unwrap());
    assert_eq!(named, members.chain(["."]).collect(), "default-members in Cargo.toml");
}

/// A library without unit tests, or without examples in its documentation, must disable these
/// tests in Cargo.toml. Otherwise cargo compiles the library once more to no purpose.
#[test]
fn a_library_says_if_it_has_nothing_to_test() {
    let has_tests = |source: &str| source.contains("#[test]") || source.contains("#[cfg(test)]");
    // The opening fence of a code block names the language unless that is Rust. The closing fence
    // names none.
    let has_examples = |source: &str| {
        let is_doc = |line: &&str| line.starts_with("///") || line.starts_with("//!");
        let fences = source.lines().map(str::trim).filter(is_doc).filter(|it| it.contains("```"));
        let (bare, named): (Vec<_>, Vec<_>) = fences.partition(|it| it.ends_with("```"));
        bare.len() > named.len() || named.iter().any(|it| it.contains("no_run"))
    };
    let checks =
        [("\ntest = false", has_tests as fn(&str) -> bool), ("\ndoctest = false", has_examples)];
    for package in packages().into_iter().filter(|it| it.join("src/lib.rs").is_file()) {
        let (name, manifest) = (package.display(), read(package.join("Cargo.toml")));
        let library = manifest.split("\n[").find(|it| it.starts_with("lib]")).unwrap_or_default();
        let sources = sources(&package);
        for (line, has_some) in checks {
            let some = sources.iter().find(|(_, text)| has_some(text)).map(|(file, _)| file);
            let says = library.contains(line);
            assert_eq!(says, some.is_none(), "{name}/Cargo.toml, [lib]:{line}, but {some:?}");
        }
    }
}

#[test]
fn every_file_of_tests_is_compiled() {
    let mut compiled = 0;
    for package in packages().into_iter().chain([root().to_owned()]) {
        let tests = package.join("tests");
        let sources = files(&tests, ".rs");
        let text: String = sources.iter().map(|file| read(tests.join(file))).collect();
        for file in &sources {
            // cargo finds these files without being told.
            let is_found =
                file.iter().count() == 1 || file.iter().count() == 2 && file.ends_with("main.rs");
            let module = if file.ends_with("mod.rs") { file.parent().unwrap() } else { file };
            let name = module.file_stem().unwrap().to_string_lossy();
            let is_named = text.contains(&format!("mod {name};"));
            assert!(
                is_found || is_named,
                "{}: nothing says `mod {name};`",
                tests.join(file).display()
            );
            compiled += 1;
        }
    }
    assert!(compiled > 60, "only {compiled} files");
}

#[test]
fn every_chapter_that_measures_has_a_page_a_bench_and_data() {
    let (summary, readme) = (read("src/SUMMARY.md"), read("README.md"));
    let chapters = measure::chapters(root());
    assert!(!chapters.is_empty());
    for chapter in chapters {
        assert!(summary.contains(&format!("({chapter}.md)")), "SUMMARY.md lists no {chapter}.md");
        let mut machines = BOOK.analysis.data.machines.iter();
        let has_data = machines.any(|machine| machine.chapters.contains_key(&chapter));
        assert!(has_data, "no machine has anything of {chapter}");
        let bench = root().join(format!("experiments/{chapter}/benches/{chapter}.rs"));
        assert!(bench.is_file(), "{} is not there", bench.display());
        let command = format!("\ncargo run -r -p {chapter} ");
        assert!(readme.contains(&command), "README.md has no line{command}");
    }
}
