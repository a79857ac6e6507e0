//! What of a package makes data stale: of small packages, and of the chapters' own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use measurement::workload::{files, hash, WorkloadError};
use tempfile::TempDir;

/// A chapter's package of two experiments, which is changed, and a workspace around it.
struct Package(TempDir);

const MANIFEST: &str = "\
[package]
name = \"chapter\"
edition = \"2021\"

[dependencies]
other = \"1\"
renamed = { package = \"by-another-name\", version = \"1\", features = [\"a\"] }
shared = { workspace = true, features = [\"b\"] }
harness = { path = \"../harness\" }
";

impl Package {
    fn new() -> Package {
        let package = Package(tempfile::tempdir().unwrap());
        package.write(
            "../Cargo.toml",
            "[workspace]\n[workspace.dependencies]\nshared = { version = \"1\", features = [\"a\"] }\n",
        );
        package.write(
            "../harness/Cargo.toml",
            "[package]\nname = \"harness\"\n[dependencies]\nshared.workspace = true\nclap = \"4\"\n",
        );
        package.write("Cargo.toml", MANIFEST);
        package.write(
            "src/lib.rs",
            "pub mod other_one;\npub mod shared;\npub mod work_per_unit;\n\
             pub fn chapter() -> Chapter {\n    prepare(1);\n    let experiments = vec![\n        \
             other_one::experiment(),\n        work_per_unit::experiment(),\n    ];\n    \
             Chapter::new(experiments)\n}\nfn prepare(size: u64) {}\n",
        );
        package.write("src/main.rs", "fn main() {\n    harness::main(chapter::chapter())\n}\n");
        package.write("src/other_one.rs", "mod inner;\npub fn experiment() {}\n");
        package.write("src/other_one/inner.rs", "pub fn f() {}\n");
        package.write(
            "src/shared.rs",
            "pub fn work() -> u64 { super::shared::deep::DEPTH }\npub mod deep;\n",
        );
        package.write("src/shared/deep.rs", "pub const DEPTH: u64 = 3;\n");
        package.write("src/bytes.bin", "a");
        package.write(
            "src/work_per_unit.rs",
            "use crate::shared::work;\nmod one;\n\npub fn experiment() -> Experiment {\n    \
             first(1);\n    second(renamed::two());\n    cell(one::BYTES, work()).per(7)\n}\n",
        );
        package.write(
            "src/work_per_unit/one.rs",
            "pub const BYTES: &[u8] = include_bytes!(\"../bytes.bin\");\n",
        );
        package
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("chapter")
    }

    fn write(&self, name: &str, text: &str) {
        let path = match name.strip_prefix("../") {
            Some(above) => self.0.path().join(above),
            None => self.path().join(name),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn hash(&self) -> String {
        hash(&self.path(), "work-per-unit").unwrap()
    }

    /// Whether the hash is another one once this text of the file is that one; then it is again what it
    /// was.
    fn differs_by(&self, name: &str, old: &str, new: &str) -> bool {
        let file = self.path().join(name);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(old), "{name} has no {old:?}");
        let before = self.hash();
        fs::write(&file, text.replacen(old, new, 1)).unwrap();
        let differs = self.hash() != before;
        fs::write(&file, text).unwrap();
        assert_eq!(self.hash(), before);
        differs
    }
}

#[test]
fn a_hash_has_sixteen_digits() {
    let hash = Package::new().hash();
    assert!(hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
}

#[test]
fn what_changes_no_time_changes_no_hash() {
    let package = Package::new();
    let of_experiment = "src/work_per_unit.rs";
    for (name, old, new) in [
        (of_experiment, "first(1);", "// Why.\n    first(1); /* and so on */"),
        (of_experiment, "first(1);", "\n\n    first(1);\n"),
        (of_experiment, "first(1);", "first( 1 , ) ;"),
        (of_experiment, "pub fn", "/// What it is.\n#[doc(hidden)]\npub fn"),
        (of_experiment, "use crate", "//! What it is.\n\nuse crate"),
        (of_experiment, ".per(7)", ".in_sweep().per(7).full_only().group(\"a\")"),
        (of_experiment, "pub fn", "#[cfg(test)]\nmod tests { fn f() { g(2); } }\npub fn"),
        (of_experiment, "\nmod one;", "\n#[cfg(test)]\nmod tests;\nmod one;"),
        (
            of_experiment,
            "use crate::shared::work;\nmod one;",
            "mod one;\nuse crate::shared::{work};",
        ),
        (of_experiment, "\n", "\r\n"),
        ("src/other_one.rs", "experiment() {}", "experiment() { more(); }"),
        ("src/other_one/inner.rs", "f()", "g()"),
        ("src/lib.rs", "other_one::experiment(),\n", ""),
        ("src/lib.rs", "work_per_unit::experiment(),", "work_per_unit::experiment()"),
        ("src/lib.rs", "pub mod shared;", "pub mod shared;\n#[cfg(test)]\nmod more;"),
        ("Cargo.toml", "other = \"1\"", "other = { version = \"2\", features = [\"x\"] }"),
        ("Cargo.toml", "other = \"1\"", "other = \"1\"\nmore = \"1\""),
        ("Cargo.toml", "version = \"1\", features", "version = \"1.2\", features"),
        ("Cargo.toml", "[dependencies]", "# Why.\n[dev-dependencies]\nx = \"1\"\n[dependencies]"),
        ("../harness/Cargo.toml", "clap = \"4\"", "clap = { version = \"4\", features = [\"x\"] }"),
    ] {
        assert!(!package.differs_by(name, old, new), "{name}: {old} -> {new}");
    }
}

#[test]
fn what_could_change_a_time_changes_the_hash() {
    let package = Package::new();
    let of_experiment = "src/work_per_unit.rs";
    for (name, old, new) in [
        (of_experiment, "first(1)", "first(2)"),
        (of_experiment, "first(1)", "premier(1)"),
        (
            of_experiment,
            "first(1);\n    second(renamed::two());",
            "second(renamed::two());\n    first(1);",
        ),
        (of_experiment, ".per(7)", ".per(7).counting(1)"),
        (of_experiment, "first(1);", "#[cfg(unix)] first(1);"),
        ("src/work_per_unit/one.rs", "&[u8]", "&'static [u8]"),
        ("src/shared.rs", "-> u64 {", "-> u64 { more();"),
        ("src/shared/deep.rs", "3", "4"),
        ("src/lib.rs", "prepare(1)", "prepare(2)"),
        ("src/main.rs", "harness::main", "harness::other_main"),
        ("src/bytes.bin", "a", "b"),
        ("Cargo.toml", "features = [\"a\"]", "features = [\"a\", \"c\"]"),
        ("Cargo.toml", "features = [\"a\"]", "features = [\"a\"], default-features = false"),
        ("Cargo.toml", "features = [\"b\"]", "features = [\"c\"]"),
        ("../Cargo.toml", "features = [\"a\"]", "features = [\"d\"]"),
        (
            "../harness/Cargo.toml",
            "shared.workspace = true",
            "shared = { version = \"1\", features = [\"d\"] }",
        ),
    ] {
        assert!(package.differs_by(name, old, new), "{name}: {old} -> {new}");
    }
}

#[test]
fn a_crate_counts_by_whatever_name() {
    let package = Package::new();
    for code in ["use renamed as r;", "use ::renamed::{a};", "fn f() { renamed::a() }"] {
        package.write("src/work_per_unit.rs", code);
        assert!(package.differs_by("Cargo.toml", "[\"a\"]", "[]"), "{code}");
    }
    package.write("src/work_per_unit.rs", "fn f() { by_another_name::a() }");
    assert!(!package.differs_by("Cargo.toml", "[\"a\"]", "[]"));
}

#[test]
fn the_sources_of_a_contender_count_where_it_is_named() {
    let package = Package::new();
    let says = "[package.metadata.measured]\nis-contender = true\n";
    package.write("../ours/Cargo.toml", &format!("[package]\nname = \"ours\"\n{says}"));
    package.write("../ours/src/lib.rs", "fn f() -> u64 { 1 }");
    package.write("Cargo.toml", &format!("{MANIFEST}our-own = {{ path = \"../ours\" }}\n"));
    let counts = || package.differs_by("../ours/src/lib.rs", "1", "2");
    assert!(!counts(), "no file names it");
    package.write("src/work_per_unit.rs", "fn f() { our_own::f() }");
    assert!(counts());
    package.write("../ours/Cargo.toml", "[package]\nname = \"ours\"\n");
    assert!(!counts(), "it does not say that it is measured");
}

#[test]
fn the_files_are_those_that_are_named() {
    let package = Package::new();
    let of = |experiment| files(&package.path(), experiment).unwrap();
    let expected = [
        "src/bytes.bin",
        "src/lib.rs",
        "src/main.rs",
        "src/shared.rs",
        "src/shared/deep.rs",
        "src/work_per_unit.rs",
        "src/work_per_unit/one.rs",
    ];
    let expected = expected.map(PathBuf::from);
    let sorted = |mut files: Vec<PathBuf>| {
        files.sort();
        files
    };
    assert_eq!(sorted(of("work-per-unit")), sorted(expected.to_vec()));
    let expected = ["src/lib.rs", "src/main.rs", "src/other_one.rs", "src/other_one/inner.rs"];
    assert_eq!(sorted(of("other-one")), sorted(expected.map(PathBuf::from).to_vec()));
    // Without a module of its own, an experiment may run anything.
    assert_eq!(of("elsewhere").len(), 9);
}

#[test]
fn modules_are_found_however_they_are_named() {
    let package = Package::new();
    let takes = |code: &str, file: &str| {
        let name = "src/work_per_unit/one.rs";
        package.write(name, code);
        files(&package.path(), "work-per-unit").unwrap().contains(&PathBuf::from(file))
    };
    let inner = "src/other_one/inner.rs";
    assert!(!takes("", inner));
    for code in [
        "use crate::other_one::inner::f;",
        "use crate::{shared, other_one::{inner as i}};",
        "use super::super::other_one::inner;",
        "fn f() { crate::other_one::inner::f() }",
        "macro_rules! m { () => { $crate::other_one::inner::f() } }",
        "mod a { use super::super::super::other_one::*; }",
        "use crate::*;",
        "use crate::not_in_the_root;",
    ] {
        assert!(takes(code, inner), "{code}");
    }
    for code in [
        "use other_one::inner;",
        "use ::other_one::inner;",
        "pub(in crate::other_one) fn f() {}",
        "#[cfg(test)] use crate::other_one;",
        "// crate::other_one::inner",
        "const A: &str = \"crate::other_one::inner\";",
        "use super::super::prepare;",
    ] {
        assert!(!takes(code, inner), "{code}");
    }
    // The module below is enough; what is around it is not run.
    assert!(!takes("use crate::other_one::inner::f;", "src/other_one.rs"));
    assert!(takes("use crate::other_one::experiment;", "src/other_one.rs"));
    package.write("src/elsewhere.rs", "");
    assert!(takes("#[path = \"../elsewhere.rs\"] mod two;", "src/elsewhere.rs"));
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_it() {
    let package = Package::new();
    let error = || hash(&package.path(), "work-per-unit").unwrap_err();
    package.write("src/work_per_unit/one.rs", "fn f() {}\n\nfn g() { \"no end }\n");
    let told = error().to_string();
    assert!(told.contains("one.rs:3: not Rust"), "{told}");
    package.write("src/work_per_unit/one.rs", "fn f() {}\nmod two;\n");
    assert!(matches!(error(), WorkloadError::NoModule { module, .. } if module == "two"));
    package.write("src/work_per_unit/one.rs", "const A: &str = include_str!(\"nothing.txt\");");
    assert!(error().to_string().contains("nothing.txt"), "{}", error());
    package.write("src/work_per_unit/one.rs", "");
    package.write("Cargo.toml", "[dependencies]\nunknown.workspace = true\n");
    assert!(error().to_string().contains("`unknown`"), "{}", error());
    fs::remove_dir_all(package.path().join("src")).unwrap();
    assert!(error().to_string().contains("neither src/lib.rs nor src/main.rs"), "{}", error());
}

fn chapter(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments").join(name)
}

#[test]
fn an_experiment_of_the_book_takes_what_it_runs() {
    let taken = |package, experiment| {
        let files = files(&chapter(package), experiment).unwrap();
        let names = files.iter().map(|file| file.to_string_lossy().replace('\\', "/"));
        names.collect::<Vec<String>>().join("\n")
    };
    // The root starts processes of `thread_parts`, whichever experiment is asked for.
    assert_eq!(
        taken("spawn-cost", "work-per-unit"),
        "\
src/busy.rs
src/lib.rs
src/listings/std_thread.rs
src/listings/thread_pool.rs
src/main.rs
src/pools.rs
src/thread_parts.rs
src/work_per_unit/crossing.rs
src/work_per_unit.rs"
    );
    assert_eq!(
        taken("how-benchmarks-lie", "optimiser"),
        "\
src/lib.rs
src/listings/optimiser/chained.rs
src/listings/optimiser/deleted.rs
src/listings/optimiser/empty.rs
src/listings/optimiser/half_folded.rs
src/listings/optimiser/honest.rs
src/main.rs
src/optimiser.rs"
    );
    // Its module is `r#move`. Servers are started by other experiments, and by the programs.
    assert_eq!(
        taken("cache-locality", "move"),
        "\
src/lib.rs
src/listings/moved/state.rs
src/listings/moved/time_stamps.rs
src/listings/moved/turn.rs
src/main.rs
src/move.rs
src/moved_state.rs
src/time_stamped.rs
src/touch.rs"
    );
}

/// Whatever width rustfmt is given, it changes no hash.
#[test]
fn rustfmt_changes_no_hash() {
    let copy = tempfile::tempdir().unwrap();
    let experiments = ["units", "waiting", "cpu-bound", "work-per-unit", "task-benches"];
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(repository.join("Cargo.toml"), copy.path().join("Cargo.toml")).unwrap();
    let others = ["harness", "schedulers", "spawn-cost"].map(|name| format!("experiments/{name}"));
    for packages in others.iter().map(String::as_str).chain(["crates"]) {
        copy_tree(&repository.join(packages), &copy.path().join(packages));
    }
    let package = copy.path().join("experiments/spawn-cost");
    let hashes = || experiments.map(|experiment| hash(&package, experiment).unwrap());
    let before = hashes();
    for width in ["60", "120"] {
        let config = format!("max_width={width}");
        let lib = package.join("src/lib.rs");
        let old = fs::read_to_string(package.join("src/units.rs")).unwrap();
        let formatted = Command::new("rustfmt")
            .args(["--edition", "2021", "--config", &config])
            .arg(lib)
            .output()
            .expect("rustfmt is a component that rust-toolchain.toml names");
        assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stderr));
        assert_ne!(fs::read_to_string(package.join("src/units.rs")).unwrap(), old);
        assert_eq!(hashes(), before, "{width}");
    }
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
