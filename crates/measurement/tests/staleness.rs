//! Whether runs are of the source tree as it is.

use std::fs;
use std::path::Path;

use measurement::staleness::SourceTree;
use measurement::workload::Manifest;
use measurement::{Run, METHOD};
use tempfile::TempDir;

const LOCK: &str = r#"package = [
    { name = "tea", version = "0.1.0", dependencies = ["cup", "water 1.0.0"] },
    { name = "cup", version = "0.1.0" },
    { name = "water", version = "1.0.0", source = "registry" },
    { name = "water", version = "2.0.0", source = "registry" },
]"#;
const LISTS: &str = r#"package.metadata.measured.files.all = ["heat"]
package.metadata.measured.files.none = ["lib.rs"]
package.metadata.measured.files.boil = ["boil", "../leaves"]"#;

fn write(tree: &TempDir, file: &str, text: &str) {
    fs::write(tree.path().join(file), text).unwrap();
}

fn tree() -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir_all(tree.path().join("experiments/tea/src/boil")).unwrap();
    write(&tree, "Cargo.lock", LOCK);
    write(&tree, "rust-toolchain.toml", "toolchain.channel = \"1.95.0\"");
    write(&tree, "experiments/tea/Cargo.toml", LISTS);
    write(&tree, "experiments/tea/leaves", "green");
    write(&tree, "experiments/tea/src/lib.rs", "mod boil;");
    write(&tree, "experiments/tea/src/heat.rs", "fn heat() -> bool { a && b }");
    write(&tree, "experiments/tea/src/boil.rs", "fn boil(a: u8, b: u8) { a; }");
    tree
}

fn read(tree: &TempDir) -> SourceTree {
    SourceTree::read(tree.path(), Path::new("experiments"))
}

/// A run of a tree as it is.
fn run(tree: &TempDir) -> Run {
    let text = r#"{"run":"2026-11-30T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"boil","profile":"quick","commit":"","method":0,"rustc":"1.95.0","crates":{"water":"1.0.0"},"load":0.0,"processes":2}
        {"experiment":"boil","contender":"pot","parameters":{},"quantity":"time per unit","unit":"ns","failed":"no"}"#;
    let mut run = Run::parse(text).unwrap();
    run.header.method = METHOD;
    run.header.workload = Some(read(tree).workload("tea", "boil").unwrap());
    run
}

/// In what a run differs if a file of the package is written anew behind it.
fn differs(file: &str, text: &str) -> Vec<String> {
    let tree = tree();
    let run = run(&tree);
    write(&tree, &format!("experiments/tea/{file}"), text);
    read(&tree).differs(&run.header)
}

#[test]
fn what_is_run_counts_and_nothing_else() {
    for (file, text) in [
        ("src/boil.rs", "//! A.\n/// B.\r\nfn boil( a: u8, b: u8 ) {\n// C.\na; }"),
        ("src/boil.rs", "#[cfg(test)] use a::b; fn boil(a: u8, #[cfg(test)] c: u8, b: u8) { a; }"),
        ("src/boil.rs", "fn boil(a: u8, b: u8) { a; } #[cfg(test)] mod tests { c }"),
        ("src/boil/.steam.rs", "fn steam() {}"),
        ("src/lib.rs", "mod boil; mod tea;"),
    ] {
        assert!(differs(file, text).is_empty(), "{text}");
    }
    for (file, text) in [
        ("src/boil.rs", "fn boil(a: u8, b: u8) { b; }"),
        ("src/boil.rs", "fn boil(a: u8, b: u8) { a; } #[cfg(not(test))] mod tests { c }"),
        ("src/boil/steam.rs", "fn steam() {}"),
        ("src/heat.rs", "fn heat() -> bool { a & &b }"),
        ("leaves", "black"),
    ] {
        assert!(differs(file, text).concat().starts_with("the workload has changed"), "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_list_is_told() {
    let told = |file, text: String| differs(file, &text).concat();
    assert!(told("src/boil.rs", "fn boil()\n{".to_owned()).contains("src/boil.rs:2: not Rust"));
    let without = told("Cargo.toml", LISTS.replace("boil =", "brew ="));
    assert!(without.contains("tea/Cargo.toml: ") && without.contains("no list \"boil\""));
    assert!(told("Cargo.toml", LISTS.replace("heat", "hat")).contains("name \"hat\", which"));
    let tree = tree();
    let package = tree.path().join("experiments/tea");
    let unnamed = || Manifest::read(&package).unwrap().unnamed().unwrap();
    assert!(unnamed().is_empty());
    write(&tree, "experiments/tea/src/brew.rs", "");
    assert!(unnamed().first().is_some_and(|file| file.ends_with("brew.rs")));
}

#[test]
fn another_version_is_told() {
    let tree = tree();
    let run = run(&tree);
    assert_eq!(read(&tree).crates("tea", &[]).unwrap(), run.header.crates);
    assert!(read(&tree).crates("tea", &["cup"]).unwrap_err().contains("\"cup\""));
    write(&tree, "Cargo.lock", "package = []");
    write(&tree, "rust-toolchain.toml", "toolchain.channel = \"1.96.0\"");
    let expected = ["rustc 1.95.0, the tree has 1.96.0", "water 1.0.0, the tree has none"];
    assert_eq!(read(&tree).differs(&run.header), expected.map(|of| format!("measured with {of}")));
}

#[test]
fn where_no_run_counts_those_like_the_last_are_shown() {
    let tree = tree();
    let (run, mut other, mut another) = (run(&tree), run(&tree), run(&tree));
    (other.header.method, another.header.workload) = (0, None);
    let shown = |runs: [&Run; 3]| read(&tree).shown(&runs.map(Run::clone));
    assert_eq!(shown([&other, &run, &another]), (vec![1], vec![]));
    let (shown, stale) = shown([&other, &another, &other]);
    assert_eq!((shown, stale.len()), (vec![0, 2], 1));
}

/// A file that no list names would change what is measured, and no data would be stale.
#[test]
fn each_file_of_a_chapter_is_in_a_list() {
    let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
    let packages = fs::read_dir(experiments).unwrap().map(|entry| entry.unwrap().path());
    let chapters = packages.filter(|package| package.join("src/main.rs").is_file());
    let unnamed = chapters.map(|package| Manifest::read(&package).unwrap().unnamed().unwrap());
    let unnamed: Vec<_> = unnamed.collect();
    let are_named = !unnamed.is_empty() && unnamed.iter().all(|files| files.is_empty());
    assert!(are_named, "their [package.metadata.measured.files] do not have {unnamed:?}");
}
