//! Whether the number of the method has kept up with the code that measures.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use measurement::workload::{hash, rust_files};
use measurement::METHOD;

/// A package that measures.
struct Package {
    /// Its directory in the repository.
    directory: &'static str,
    /// What in its `src` can change no time: how a run is asked for and told. Any
    /// other file counts, and so does a new one.
    changes_no_time: &'static [&'static str],
}

const PACKAGES: [Package; 3] = [
    Package {
        directory: "experiments/harness",
        changes_no_time: &[
            "assembly.rs",        // what rustc makes of a function, for tests
            "cli.rs",             // the command line
            "run_header.rs",      // what a run says about itself
            "lib.rs",             // the list of modules
            "progress.rs",        // what is said meanwhile
            "record_run.rs",      // how recordings are asked for
            "recording_table.rs", // recordings in the terminal
            "terminal_table.rs",  // the rows in the terminal
        ],
    },
    Package {
        directory: "crates/host",
        changes_no_time: &[
            "doctor.rs",            // what `cargo book doctor` finds
            "kernel_parameters.rs", // what machine.json says of the kernel
            "lib.rs",               // the list of modules
            "machine.rs",           // what machine.json says
        ],
    },
    Package {
        directory: "crates/runtimes",
        changes_no_time: &[
            "lib.rs",    // the list of modules
            "reason.rs", // why a runtime cannot be started
        ],
    },
];

/// Writes the lock anew.
const UPDATE: &str = "UPDATE_METHOD";

#[test]
fn the_number_of_the_method_follows_what_measures() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = package.join("method.lock");
    let repository = package.ancestors().nth(2).expect("it is in experiments/");
    let files = PACKAGES.iter().flat_map(|of| counting(of, repository));
    let hash = hash(&files.collect(), &mut BTreeMap::new());
    let now = format!("{METHOD} {}\n", hash.expect("the sources are Rust"));
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

/// The files of a package that count.
fn counting(package: &Package, repository: &Path) -> BTreeSet<PathBuf> {
    let sources = repository.join(package.directory).join("src");
    let sources = sources.canonicalize().expect("it is there");
    let mut files = rust_files(&sources);
    for name in package.changes_no_time {
        assert!(files.remove(&sources.join(name)), "there is no {name}");
    }
    files
}
