//! Whether runs are of the source tree as it is.

use std::fs;
use std::path::Path;

use measurement::staleness::{SourceTree, Stale};
use measurement::{sources, Run, METHOD};
use tempfile::TempDir;

/// A tree with one package that measures.
fn tree() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("experiments/tea/src")).unwrap();
    for (file, text) in [
        ("Cargo.lock", "[[package]]\nname = \"water\"\nversion = \"1.0.0\"\n"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.95.0\"\n"),
        ("experiments/tea/Cargo.toml", "[package]\nname = \"tea\"\n"),
        ("experiments/tea/src/lib.rs", "pub fn boil() {}\n"),
    ] {
        fs::write(root.path().join(file), text).unwrap();
    }
    root
}

/// A run of it as it is.
fn run(root: &Path) -> Run {
    let sources = sources::hash(&root.join("experiments/tea")).unwrap();
    let header = format!(
        r#"{{"run":"2026-11-30T10:12:00Z","machine":"kettle-1","chapter":"tea","profile":"quick","commit":"","method":{METHOD},"sources":"{sources}","rustc":"1.95.0","crates":{{"water":"1.0.0"}},"floor":{{}},"load":0.0,"processes":2}}"#
    );
    let row = r#"{"experiment":"boil","contender":"pot","parameters":{},"quantity":"time per unit","unit":"ns","estimate":1.0,"low":1.0,"high":1.0,"points":[1,1,1,1,1,1],"source":"criterion"}"#;
    Run::parse(&format!("{header}\n{row}")).unwrap()
}

fn read(root: &Path) -> SourceTree {
    SourceTree::read(root, Path::new("experiments"))
}

#[test]
fn a_run_of_the_tree_as_it_is_counts() {
    let root = tree();
    let run = run(root.path());
    let tree = read(root.path());
    assert_eq!(tree.differs(&run.header), []);
    fs::write(root.path().join("experiments/tea/src/lib.rs"), "pub fn brew() {}\n").unwrap();
    assert_eq!(tree.differs(&run.header), [], "a hash is computed once");
    assert_eq!(read(root.path()).differs(&run.header), [Stale::Workload]);
}

#[test]
fn another_version_is_told() {
    let root = tree();
    let run = run(root.path());
    fs::write(root.path().join("Cargo.lock"), "package = []\n").unwrap();
    fs::write(root.path().join("rust-toolchain.toml"), "[toolchain]\nchannel = \"1.96.0\"\n")
        .unwrap();
    let told: Vec<String> =
        read(root.path()).differs(&run.header).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "measured with rustc 1.95.0, the tree has 1.96.0",
            "measured with water 1.0.0, the tree has none"
        ]
    );
}

#[test]
fn where_no_run_counts_those_like_the_last_are_shown() {
    let root = tree();
    let run = run(root.path());
    let other = |water: &str| {
        let mut other = run.clone();
        other.header.crates.insert("water".to_owned(), water.to_owned());
        other
    };
    let tree = read(root.path());
    let (shown, stale) = tree.shown(&[other("0.9.0"), run.clone(), other("0.8.0")]);
    assert_eq!((shown, stale), (vec![1], vec![]));
    let (shown, stale) = tree.shown(&[other("0.9.0"), other("0.8.0"), other("0.9.0")]);
    assert_eq!((shown, stale.len()), (vec![0, 2], 1));
}
