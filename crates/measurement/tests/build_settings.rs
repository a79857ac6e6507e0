//! What of the way in which a package is built makes data stale.

use std::fs;
use std::path::{Path, PathBuf};

use measurement::build_settings::hash;

const ROOT: &str = "\
[workspace]
resolver = \"3\"

[workspace.package]
edition = \"2021\"

[profile.dev]
debug = 1

[profile.release]
debug = \"line-tables-only\"
lto = \"thin\"

[profile.release.package.x]
opt-level = 2
";

const PACKAGE: &str = "\
[package]
name = \"chapter\"
edition.workspace = true

[features]
default = [\"one\"]
one = [\"dep:one\"]
two = []
";

const CONFIGURATION: &str = "\
[alias]
book = \"run\"
[build]
jobs = 2
rustflags = [\"-Cforce-frame-pointers\"]
";

struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Workspace {
        let workspace = Workspace(tempfile::tempdir().unwrap());
        fs::create_dir(workspace.file("package")).unwrap();
        fs::create_dir(workspace.file(".cargo")).unwrap();
        fs::write(workspace.file("Cargo.toml"), ROOT).unwrap();
        fs::write(workspace.file("package/Cargo.toml"), PACKAGE).unwrap();
        fs::write(workspace.file(".cargo/config.toml"), CONFIGURATION).unwrap();
        workspace
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn hash(&self, rustc: &str, features: &[&str], flags: &str) -> String {
        let (root, package) = (self.file("Cargo.toml"), self.file("package/Cargo.toml"));
        hash(&root, &package, rustc, features, flags).unwrap()
    }

    fn now(&self) -> String {
        self.hash("1.95.0", &["default"], "")
    }

    fn differs_by(&self, name: &str, old: &str, new: &str) -> bool {
        let file = self.file(name);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(old), "{name} has no {old:?}");
        let before = self.now();
        fs::write(&file, text.replacen(old, new, 1)).unwrap();
        let differs = self.now() != before;
        fs::write(&file, text).unwrap();
        differs
    }
}

#[test]
fn what_does_not_reach_the_compiler_does_not_count() {
    let workspace = Workspace::new();
    for (name, old, new) in [
        ("Cargo.toml", "[profile.release]", "# Why.\n[profile.release]"),
        (
            "Cargo.toml",
            "debug = \"line-tables-only\"\nlto = \"thin\"",
            "lto = \"thin\"\ndebug = \"line-tables-only\"",
        ),
        ("Cargo.toml", "debug = 1", "debug = 2"),
        ("package/Cargo.toml", "edition.workspace = true", "edition = \"2021\""),
        ("package/Cargo.toml", "two = []", "two = [\"one\"]\nthree = []"),
        (".cargo/config.toml", "book = \"run\"", "book = \"build\""),
        (".cargo/config.toml", "jobs = 2", "jobs = 3"),
    ] {
        assert!(!workspace.differs_by(name, old, new), "{name}: {old} -> {new}");
    }
}

#[test]
fn what_the_compiler_is_told_counts() {
    let workspace = Workspace::new();
    for (name, old, new) in [
        ("Cargo.toml", "lto = \"thin\"", "lto = true"),
        ("Cargo.toml", "lto = \"thin\"", "lto = \"thin\"\nopt-level = 2"),
        ("Cargo.toml", "lto = \"thin\"", "lto = \"thin\"\ncodegen-units = 1"),
        ("Cargo.toml", "opt-level = 2", "opt-level = 1"),
        ("Cargo.toml", "[profile.release.package.x]", "[profile.release.package.y]"),
        ("Cargo.toml", "resolver = \"3\"", "resolver = \"2\""),
        ("Cargo.toml", "edition = \"2021\"", "edition = \"2024\""),
        ("package/Cargo.toml", "edition.workspace = true", "edition = \"2024\""),
        ("package/Cargo.toml", "default = [\"one\"]", "default = [\"one\", \"two\"]"),
        ("package/Cargo.toml", "one = [\"dep:one\"]", "one = [\"dep:one\", \"tokio/full\"]"),
        (".cargo/config.toml", "-Cforce-frame-pointers", "-Ctarget-cpu=native"),
        (".cargo/config.toml", "jobs = 2", "target = \"x86_64-unknown-linux-musl\""),
        (".cargo/config.toml", "[build]", "[target.'cfg(unix)']\nlinker = \"x\"\n[build]"),
        (".cargo/config.toml", "[build]", "[profile.release]\nlto = true\n[build]"),
    ] {
        assert!(workspace.differs_by(name, old, new), "{name}: {old} -> {new}");
    }
    let now = workspace.now();
    assert_eq!(now.len(), 16);
    assert_ne!(workspace.hash("1.96.0", &["default"], ""), now);
    assert_ne!(workspace.hash("1.95.0", &[], ""), now);
    assert_ne!(workspace.hash("1.95.0", &["default", "two"], ""), now);
    assert_ne!(workspace.hash("1.95.0", &["default"], "-Ctarget-cpu=native"), now);
}

#[test]
fn the_same_said_otherwise_is_the_same() {
    let workspace = Workspace::new();
    assert_eq!(workspace.hash("1.95.0", &["one"], " "), workspace.now());
    let flags = |flags| workspace.hash("1.95.0", &["default"], flags);
    assert_eq!(flags("-C lto  -Copt-level=1"), flags("-C\x1flto\x1f-Copt-level=1"));
    fs::remove_file(workspace.file(".cargo/config.toml")).unwrap();
    assert_ne!(workspace.now(), Workspace::new().now());
}

#[test]
fn a_manifest_that_cannot_be_read_is_an_error_that_names_it() {
    let workspace = Workspace::new();
    let package = workspace.file("package/Cargo.toml");
    let told = hash(Path::new("nowhere.toml"), &package, "1.95.0", &[], "").unwrap_err();
    assert!(told.to_string().starts_with("nowhere.toml: "), "{told}");
    fs::write(workspace.file(".cargo/config.toml"), "[build").unwrap();
    let told = hash(&workspace.file("Cargo.toml"), &package, "1.95.0", &[], "").unwrap_err();
    assert!(told.to_string().contains("config.toml: not TOML"), "{told}");
}
