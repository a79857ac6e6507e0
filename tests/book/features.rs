//! Checks that consecutive builds compile each external crate only once. This requires that the
//! crate has the same features in all builds. `crates/workspace-hack` enables features that some
//! builds would otherwise lack.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use ::book::measure;

use crate::common::root;

/// Returns the features with which cargo builds each external crate, keyed by the crate's name
/// and version. There is more than one set if a crate is built both for build scripts and for the
/// target.
fn features(arguments: &str) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}\t{f}"])
        .args(arguments.split(' '))
        .current_dir(root())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo tree {arguments}: {output:?}");
    let mut features = BTreeMap::<_, BTreeSet<String>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // cargo marks a crate with `(*)` if the crate was listed before.
        let Some((package, of)) = line.trim_end_matches(" (*)").split_once('\t') else { continue };
        if !package.contains('/') {
            let package = package.trim_end_matches(" (proc-macro)");
            features.entry(package.to_owned()).or_default().insert(of.to_owned());
        }
    }
    assert!(features.len() > 50, "only {} crates", features.len());
    features
}

const WHAT_TO_DO: &str = "ask for the features that are missing in crates/workspace-hack";

/// Covers the builds of consecutive chapters, of `cargo book`, of `cargo test` and of `cargo
/// xtask`.
#[test]
fn the_next_build_compiles_no_crate_of_others_again() {
    let of = |package: &str| features(&format!("--edges normal,build --package {package}"));
    let (test, book) = (features("--edges normal,build,dev --workspace"), of("book"));
    let chapters = measure::chapters(root());
    let chapters: Vec<_> = chapters.iter().map(|chapter| of(chapter)).collect();
    assert!(chapters.len() > 3);
    let xtask = of("xtask");
    let mut follow = vec![(&book, &test), (&book, &xtask)];
    for (place, chapter) in chapters.iter().enumerate() {
        follow.extend(chapters[place + 1..].iter().map(|next| (chapter, next)));
    }
    for (first, second) in follow {
        for (name, had) in first {
            let is_built = second.get(name).is_none_or(|then| then.is_subset(had));
            assert!(is_built, "{name}: {had:?}, then {:?}\n{WHAT_TO_DO}", second[name]);
        }
    }
    // If a crate is built twice, once for build scripts, skeptic uses the newer build, which may
    // be the wrong one. No snippet uses proc-macro2 or winnow, so this is harmless for them.
    let twice =
        test.iter().filter(|(_, of)| of.len() > 1).filter_map(|(it, _)| it.split(' ').next());
    assert!(twice.eq(["proc-macro2", "winnow"]), "{WHAT_TO_DO}, under build-dependencies");
}
