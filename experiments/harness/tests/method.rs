//! Checks that the version number of the method changes whenever the code
//! that measures does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use measurement::workload::{hash, rust_files};
use measurement::METHOD;

/// The packages that measure, each with the files in its `src` that don't
/// affect a measured time. All other files are part of the method, including
/// new ones.
const PACKAGES: [(&str, &[&str]); 4] = [
    (
        "experiments/harness",
        &[
            "assembly.rs",        // a function's assembly, for tests
            "cli.rs",             // the command line
            "run_header.rs",      // the header of a run
            "lib.rs",             // the list of modules
            "progress.rs",        // progress messages
            "record_run.rs",      // how recordings are asked for
            "recording_table.rs", // recordings in the terminal
            "terminal_table.rs",  // the rows in the terminal
            "unstable_build.rs",  // building a separate program
        ],
    ),
    (
        "crates/host",
        &[
            "doctor.rs",            // the findings of `cargo book doctor`
            "hypervisor.rs",        // machine.json: the hypervisor
            "idle_settings.rs",     // machine.json: idle cores
            "kernel_parameters.rs", // machine.json: the kernel's parameters
            "lib.rs",               // the list of modules
            "machine.rs",           // machine.json
        ],
    ),
    ("crates/recorder", &["lib.rs"]),
    // `reason.rs` explains why a runtime cannot be started.
    ("crates/runtimes", &["lib.rs", "reason.rs"]),
];

#[test]
fn the_number_of_the_method_follows_what_measures() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = package.join("method.lock");
    let repository = package.ancestors().nth(2).expect("it is in experiments/");
    let repository = repository.canonicalize().expect("it is there");
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    for (directory, changes_no_time) in PACKAGES {
        let sources = repository.join(directory).join("src");
        files.extend(rust_files(&sources));
        for name in changes_no_time {
            let file = sources.join(name);
            assert!(files.remove(&file), "there is no {}", file.display());
        }
    }
    let hash = hash(&files, &mut BTreeMap::new()).expect("they are Rust");
    let now = format!("{METHOD} {hash}\n");
    if std::env::var_os("UPDATE_METHOD").is_some() {
        std::fs::write(&lock, &now).expect("the lock can be written");
    }
    let locked = std::fs::read_to_string(&lock).unwrap_or_default();
    assert!(
        locked.trim() == now.trim(),
        "what measures has changed: if a time could change by it, raise METHOD \
         in crates/measurement/src/lib.rs; then write this line into \
         method.lock: {now}\
         (UPDATE_METHOD=1 cargo test -p harness --test method writes it)"
    );
}
