//! Tests whether runs are recognised as measured with the current source tree.

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
    for (file, text) in [
        ("Cargo.lock", LOCK),
        ("rust-toolchain.toml", "toolchain.channel = \"1.95.0\""),
        ("experiments/tea/Cargo.toml", LISTS),
        ("experiments/tea/leaves", "green"),
        ("experiments/tea/src/lib.rs", "mod boil;"),
        ("experiments/tea/src/heat.rs", "fn heat() -> bool { a && b }"),
        ("experiments/tea/src/boil.rs", "fn boil(a: u8, b: u8) { a; }"),
    ] {
        write(&tree, file, text);
    }
    tree
}

fn read(tree: &TempDir) -> SourceTree {
    SourceTree::read(tree.path(), Path::new("experiments"))
}

fn run(tree: &TempDir) -> Run {
    let text = r#"{"run":"2026-11-30T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"boil","profile":"quick","commit":"","method":0,"rustc":"1.95.0","crates":{"water":"1.0.0"},"load":0.0,"processes":2}
        {"experiment":"boil","contender":"pot","parameters":{},"quantity":"time per unit","unit":"ns","failed":"no"}"#;
    let mut run = Run::parse(text).unwrap();
    run.header.method = METHOD;
    run.header.workload = Some(read(tree).workload("tea", "boil").unwrap());
    run
}

/// Returns the differences between a run and the tree after `file` has been rewritten.
fn differs(file: &str, text: &str) -> Vec<String> {
    let tree = tree();
    let run = run(&tree);
    write(&tree, &format!("experiments/tea/{file}"), text);
    read(&tree).differs(&run.header)
}

const CHANGED: &str = "the workload has changed";

#[test]
fn what_is_run_counts_and_nothing_else() {
    let (tokens, list) = (|text: &str| text.to_owned(), |from, to| LISTS.replace(from, to));
    for (file, text, told) in [
        ("src/boil.rs", tokens("//! A.\n/// B.\r\nfn boil( a: u8, b: u8 ) {\n// C.\na; }"), ""),
        (
            "src/boil.rs",
            tokens("#[cfg(test)] use a::b; fn boil(a: u8, #[cfg(test)] c: u8, b: u8) { a; }"),
            "",
        ),
        ("src/boil.rs", tokens("fn boil(a: u8, b: u8) { a; } #[cfg(test)] mod tests { c }"), ""),
        ("src/boil/.steam.rs", tokens("fn steam() {}"), ""),
        ("src/lib.rs", tokens("mod boil; mod tea;"), ""),
        ("src/boil.rs", tokens("fn boil(a: u8, b: u8) { b; }"), CHANGED),
        (
            "src/boil.rs",
            tokens("fn boil(a: u8, b: u8) { a; } #[cfg(not(test))] mod tests { c }"),
            CHANGED,
        ),
        ("src/boil/steam.rs", tokens("fn steam() {}"), CHANGED),
        ("src/heat.rs", tokens("fn heat() -> bool { a & &b }"), CHANGED),
        ("leaves", tokens("black"), CHANGED),
        ("src/boil.rs", tokens("fn boil()\n{"), "src/boil.rs:2: not Rust"),
        ("Cargo.toml", list("boil =", "brew ="), "measured.files] no list \"boil\""),
        ("Cargo.toml", list("heat", "hat"), "names \"hat\", which"),
    ] {
        let found = differs(file, &text).concat();
        assert!(found.contains(told) && found.is_empty() == told.is_empty(), "{text}: {found}");
    }
}

/// A changed file can be certified not to affect any figure. The measured data then stay valid
/// until the next change.
#[test]
fn a_changed_file_may_count_as_what_it_was() {
    let tree = tree();
    let run = run(&tree);
    let list = |is: &str, counts_as: &str| {
        let entry = format!(
            "file = 'tea/src/boil.rs'\nis = '{is}'\ncounts_as = '{counts_as}'\nwhy = 'tea'"
        );
        write(&tree, "experiments/counts-as.toml", &format!("[[files]]\n{entry}"));
        read(&tree).differs(&run.header).concat()
    };
    let hash_of = |told: &str| {
        let (_, hash) = told.split_once("any more, but ").unwrap();
        hash[..64].to_owned()
    };
    let was = hash_of(&list("", ""));
    write(&tree, "experiments/tea/src/boil.rs", "fn boil(a: u8, b: u8) { b; }");
    let is = hash_of(&list(&was, &was));
    assert_eq!(list(&is, &was), "");
    assert!(list(&is, &is).contains(CHANGED));
    assert!(list(&is, "hot").contains("hot is no hash"));
    write(&tree, "experiments/tea/src/boil.rs", "fn boil(a: u8, b: u8) { a + b; }");
    assert!(list(&is, &was).contains("take out the entry"));
}

#[test]
fn what_counts_as_nothing_is_refused_with_its_line() {
    for (entry, why) in [
        (
            "[[files]]\nis = ''\nfile = 'tea/src/brew.rs'",
            "counts-as.toml:3: no experiment runs tea/src/brew.rs",
        ),
        (
            "[[files]]\nis = ''\nfile = 'tea/src/lib.rs'",
            "counts-as.toml:3: no experiment runs tea/src/lib.rs",
        ),
        (
            "[[experiments]]\nhashes = [\n['tea/brew', '', '']]",
            "counts-as.toml:3: there is no experiment \"tea/brew\"",
        ),
        (
            "[[experiments]]\nhashes = [['milk', '', '']]",
            "counts-as.toml:2: there is no experiment \"milk\"",
        ),
    ] {
        let tree = tree();
        let run = run(&tree);
        let counts_as = if entry.starts_with("[[files") { "counts_as = ''\n" } else { "" };
        write(&tree, "experiments/counts-as.toml", &format!("{entry}\n{counts_as}why = 'tea'"));
        let told = read(&tree).differs(&run.header).concat();
        assert!(told.contains(why) && told.contains("take out the entry"), "{told}");
    }
}

#[test]
fn what_an_experiment_runs_may_count_as_what_it_was() {
    let tree = tree();
    let run = run(&tree);
    let was = run.header.workload.clone().unwrap();
    write(&tree, "experiments/tea/src/boil.rs", "fn boil(a: u8, b: u8) { b; }");
    let list = |is: &str| {
        let entry = format!("why = 'tea'\nhashes = [['tea/boil', '{is}', '{was}']]");
        write(&tree, "experiments/counts-as.toml", &format!("[[experiments]]\n{entry}"));
        read(&tree).differs(&run.header).concat()
    };
    let told = list(&was);
    let (_, found) = told.split_once("any more, but ").unwrap();
    assert_eq!(list(&found[..16]), "");
    assert!(list("").contains("take out the entry"));
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

#[test]
fn each_file_of_a_chapter_is_in_a_list() {
    let unnamed = |package: &Path| Manifest::read(package).unwrap().unnamed().unwrap();
    let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
    let mut chapters = 0;
    for package in fs::read_dir(experiments).unwrap().map(|entry| entry.unwrap().path()) {
        if package.join("src/main.rs").is_file() {
            let files = unnamed(&package);
            assert!(files.is_empty(), "[package.metadata.measured.files] does not have {files:?}");
            chapters += 1;
        }
    }
    assert!(chapters > 5, "{chapters}");
    let tree = tree();
    write(&tree, "experiments/tea/src/brew.rs", "");
    let files = unnamed(&tree.path().join("experiments/tea"));
    assert!(files.len() == 1 && files.iter().all(|file| file.ends_with("brew.rs")), "{files:?}");
}
