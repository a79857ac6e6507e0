//! Checks that the assembly on the page is LLVM's output for the measured
//! functions. See `harness::assembly`.

use std::path::Path;

use harness::assembly::Assembly;

const ARMS: [(&str, &str); 4] = [
    ("deleted", "hash_key"),
    ("half_folded", "hash_key"),
    ("honest", "hash_key"),
    ("empty", "walk_key"),
];

#[test]
fn the_assembly_is_what_rustc_emits() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (arm, function) in ARMS {
        let source = package.join(format!("src/listings/optimiser/{arm}.rs"));
        let emitted = Assembly::of(&source, function, "KEY").unwrap();
        let shown = package.join(format!("assembly/{arm}.s"));
        emitted.compare(&shown).unwrap();
    }
}
