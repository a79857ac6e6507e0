//! Builds that follow each other compile other people's crates once: their features are the same in all of
//! them. `crates/workspace-hack` asks for what some of them would lack.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use ::book::measure;
use mdbook_measured::driver;

/// The features with which each crate is built, by name and version; one for the machine that builds may
/// have others than one for the machine that runs.
type Features = BTreeMap<String, BTreeSet<String>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What cargo builds for these arguments, without what is in this repository.
fn features(arguments: &[&str]) -> Features {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}\t{f}"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree {arguments:?}: {errors}");
    let mut features = Features::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // A crate that stood further up is marked by a star.
        let Some((package, of)) = line.trim_end_matches(" (*)").split_once('\t') else { continue };
        if !package.contains('/') {
            let package = package.trim_end_matches(" (proc-macro)");
            features.entry(package.to_owned()).or_default().insert(of.to_owned());
        }
    }
    assert!(features.len() > 50, "only {} crates", features.len());
    features
}

/// What a second build would compile anew, though a first one has it.
fn compiled_again(first: &Features, second: &Features) -> Vec<String> {
    let both = first.iter().filter_map(|(package, of)| Some((package, of, second.get(package)?)));
    let differ = both.filter(|(_, of, then)| !then.is_subset(of));
    differ.map(|(package, of, then)| format!("{package}: {of:?}, then {then:?}")).collect()
}

const WHAT_TO_DO: &str = "ask for the features that are missing in crates/workspace-hack";

#[test]
fn the_next_chapter_compiles_no_crate_of_others_again() {
    let chapters = measure::chapters(root(), &driver::config(root()).unwrap());
    let of = |chapter: &String| features(&["--edges", "normal,build", "--package", chapter]);
    let features: Vec<Features> = chapters.iter().map(of).collect();
    assert!(features.len() > 3);
    let mut again = Vec::new();
    for (place, first) in features.iter().enumerate() {
        for (other, second) in features.iter().enumerate().skip(place + 1) {
            let between = format!("{} and {}", chapters[place], chapters[other]);
            let differ = compiled_again(first, second).into_iter();
            again.extend(differ.map(|what| format!("{between}: {what}")));
        }
    }
    assert!(again.is_empty(), "{}\n{WHAT_TO_DO}", again.join("\n"));
}

#[test]
fn cargo_test_compiles_nothing_again_that_cargo_book_has_compiled() {
    let of_book = features(&["--edges", "normal,build", "--package", "book"]);
    let of_test = features(&["--edges", "normal,build,dev", "--workspace"]);
    let again = compiled_again(&of_book, &of_test);
    assert!(again.is_empty(), "{}\n{WHAT_TO_DO}", again.join("\n"));
}

#[test]
fn cargo_xtask_compiles_nothing_again_that_cargo_book_has_compiled() {
    let of_book = features(&["--edges", "normal,build", "--package", "book"]);
    let of_xtask = features(&["--edges", "normal,build", "--package", "xtask"]);
    let again = compiled_again(&of_book, &of_xtask);
    assert!(again.is_empty(), "{}\n{WHAT_TO_DO}", again.join("\n"));
}

/// Of a crate that is built twice, once for what runs while building, skeptic takes the younger build, and
/// that is the right one by chance.
#[test]
fn what_snippets_may_use_is_built_once() {
    let of_test = features(&["--edges", "normal,build,dev", "--workspace"]);
    let twice = of_test.iter().filter(|(_, of)| of.len() > 1).map(|(package, _)| package.as_str());
    let name = |package: &str| package.split(' ').next().unwrap_or_default().to_owned();
    let twice: Vec<String> = twice.map(name).collect();
    // No snippet uses these.
    let expected = ["proc-macro2", "winnow"];
    assert_eq!(twice, expected, "{WHAT_TO_DO}, under build-dependencies");
}
