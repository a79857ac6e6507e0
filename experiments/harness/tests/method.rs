//! Whether the number of the method has kept up with the code that measures.

use std::path::{Path, PathBuf};

use measurement::{workload, METHOD};

/// The packages that measure, from the harness on.
const PACKAGES: [&str; 2] = [".", "../../crates/runtimes"];

/// What in the harness's `src` can change no time: how a run is asked for and
/// told. Any other file of the packages counts, and so does a new one.
const CHANGES_NO_TIME: [&str; 6] = [
    "assembly.rs", // what rustc makes of a function, for tests
    "cli.rs",      // the command line
    "header.rs",   // what a run says about itself
    "lib.rs",      // the list of modules
    "progress.rs", // what is said meanwhile
    "table.rs",    // the rows in the terminal
];

/// Writes the lock anew.
const UPDATE: &str = "UPDATE_METHOD";

#[test]
fn the_number_of_the_method_follows_what_measures() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = package.join("method.lock");
    let now = format!("{METHOD} {}\n", hash(package));
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&lock, &now).expect("the lock can be written");
    }
    let locked = std::fs::read_to_string(&lock).unwrap_or_default();
    assert!(
        locked.trim() == now.trim(),
        "what measures has changed: if a time could change by it, raise METHOD \
         in crates/measurement/src/lib.rs; then write this line into \
         method.lock: {now}\
         ({UPDATE}=1 cargo test -p harness --test method writes it)"
    );
}

/// The hash of the tokens that count.
fn hash(harness: &Path) -> String {
    let sources = PACKAGES.map(|package| harness.join(package).join("src"));
    let files = sources.iter().flat_map(|sources| {
        let files = workload::rust_files_below(sources);
        files.expect("the sources can be read")
    });
    let files: Vec<PathBuf> = files.collect();
    let exempt = CHANGES_NO_TIME.map(|name| sources[0].join(name));
    for file in &exempt {
        assert!(files.contains(file), "there is no {}", file.display());
    }
    let counts = |file: &PathBuf| !exempt.contains(file);
    let files = files.into_iter().filter(counts);
    workload::hash_files(harness, files).expect("the sources are Rust")
}
