//! Which crates a package measures.

use std::fs;
use std::path::Path;

use measurement::cargo_lock::CargoLock;
use measurement::manifest::measured_crates;

const LOCK: &str = r#"
version = 4
[[package]]
name = "chapter"
version = "0.1.0"
dependencies = ["direct", "harness", "inherited", "only-here", "original 1.2.3", "tests"]
[[package]]
name = "harness"
version = "0.1.0"
[[package]]
name = "direct"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "inherited"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "only-here"
version = "3.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "original"
version = "1.2.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "original"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "tests"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "transitive"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "transitive"
version = "1.1.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

const MANIFEST: &str = r#"
[package]
name = "chapter"
[dependencies]
direct = "1"
harness.workspace = true
inherited.workspace = true
renamed = { package = "original", version = "1" }
[target.'cfg(target_os = "linux")'.dependencies]
only-here = "3"
[dev-dependencies]
tests = "1"
[build-dependencies]
tests = "1"
"#;

/// What a package of this manifest measures, `name version` each, or the error.
fn measured(manifest: &str) -> Result<Vec<String>, String> {
    let workspace = tempfile::tempdir().unwrap();
    let file = |name: &str| workspace.path().join(name);
    let root = "[workspace.dependencies]\nharness = { path = \"harness\" }\ninherited = \"2\"\n";
    fs::write(file("Cargo.toml"), root).unwrap();
    fs::write(file("Cargo.lock"), LOCK).unwrap();
    fs::create_dir(file("chapter")).unwrap();
    fs::write(file("chapter/Cargo.toml"), manifest).unwrap();
    let lock = CargoLock::read(&file("Cargo.lock")).unwrap();
    let crates = measured_crates(&file("chapter/Cargo.toml"), &lock);
    let crates = crates.map_err(|error| error.to_string())?;
    Ok(crates.into_iter().map(|(name, version)| format!("{name} {version}")).collect())
}

#[test]
fn what_a_package_depends_on_is_what_it_measures() {
    let expected = ["direct 1.0.0", "inherited 2.0.0", "only-here 3.0.0", "original 1.2.3"];
    assert_eq!(measured(MANIFEST).unwrap(), expected);
}

#[test]
fn a_package_can_say_more() {
    let also = format!("{MANIFEST}\n[package.metadata.measured]\nalso = [\"transitive\"]\n");
    let measured_too = measured(&also).unwrap();
    assert_eq!(measured_too.len(), 5);
    assert_eq!(measured_too[4], "transitive 1.0.0 and 1.1.0");
    let only = format!("{MANIFEST}\n[package.metadata.measured]\nonly = [\"direct\"]\n");
    assert_eq!(measured(&only).unwrap(), ["direct 1.0.0"]);
}

#[test]
fn what_is_not_locked_is_an_error_that_names_it() {
    let told = measured("[package]\nname = \"chapter\"\n[dependencies]\nunknown = \"1\"\n");
    assert!(told.unwrap_err().contains("no package \"unknown\" from a registry"));
    let told =
        measured("[package]\nname = \"chapter\"\n[dependencies]\nunknown.workspace = true\n");
    assert!(told.unwrap_err().contains("`unknown` is of the workspace"));
    // A package of the repository has no version from a registry.
    let told = measured("[package]\nname = \"chapter\"\n[dependencies]\nharness = \"1\"\n");
    assert!(told.unwrap_err().contains("\"harness\""));
}

#[test]
fn a_chapter_of_the_book_measures_its_runtimes() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock = CargoLock::read(&repository.join("Cargo.lock")).unwrap();
    let manifest = repository.join("experiments/context-switches/Cargo.toml");
    let names: Vec<String> = measured_crates(&manifest, &lock).unwrap().into_keys().collect();
    let expected = [
        "async-channel",
        "compio",
        "futures-lite",
        "glommio",
        "monoio",
        "nix",
        "parking_lot",
        "smol",
        "tokio",
    ];
    assert_eq!(names, expected);
}
