//! Builds that follow each other compile other people's crates once: their features are the same in all of
//! them. `crates/workspace-hack` asks for what some of them would lack.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use ::book::measure;
use mdbook_measured::driver;

use crate::common::root;

/// The features with which each crate is built, by name and version; one for the machine that builds may
/// have others than one for the machine that runs.
type Features = BTreeMap<String, BTreeSet<String>>;

/// What cargo builds, without what is in this repository.
fn features(arguments: &str) -> Features {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}\t{f}"])
        .args(arguments.split(' '))
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree {arguments}: {errors}");
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

fn of_package(package: &str) -> (String, Features) {
    (package.to_owned(), features(&format!("--edges normal,build --package {package}")))
}

const WHAT_TO_DO: &str = "ask for the features that are missing in crates/workspace-hack";

/// From chapter to chapter, and from `cargo book` to `cargo test` and to `cargo xtask`.
#[test]
fn the_next_build_compiles_no_crate_of_others_again() {
    let of_test = ("test".to_owned(), features("--edges normal,build,dev --workspace"));
    let of_book = of_package("book");
    let mut follow = vec![(&of_book, &of_test)];
    let of_xtask = of_package("xtask");
    follow.push((&of_book, &of_xtask));
    let chapters = measure::chapters(root(), &driver::config(root()).unwrap());
    let chapters: Vec<_> = chapters.iter().map(|chapter| of_package(chapter)).collect();
    assert!(chapters.len() > 3);
    for (place, chapter) in chapters.iter().enumerate() {
        follow.extend(chapters[place + 1..].iter().map(|next| (chapter, next)));
    }
    let mut again = Vec::new();
    for ((name, first), (next, second)) in follow {
        let both = first.iter().filter_map(|(of, had)| Some((of, had, second.get(of)?)));
        let differ = both.filter(|(_, had, then)| !then.is_subset(had));
        again.extend(
            differ.map(|(of, had, then)| format!("{name}, {next}: {of}: {had:?}, then {then:?}")),
        );
    }
    assert!(again.is_empty(), "{}\n{WHAT_TO_DO}", again.join("\n"));
    // Of a crate that is built twice, once for what runs while building, skeptic takes the younger build, and
    // that is the right one by chance. No snippet uses these two.
    let twice =
        of_test.1.iter().filter(|(_, of)| of.len() > 1).filter_map(|(it, _)| it.split(' ').next());
    let twice: Vec<&str> = twice.collect();
    assert_eq!(twice, ["proc-macro2", "winnow"], "{WHAT_TO_DO}, under build-dependencies");
}
