//! Checks that the assembly on the page is LLVM's output for the measured
//! loops, and has the instructions that the page mentions. See
//! `harness::assembly`.

use std::path::{Path, PathBuf};

use harness::assembly::Assembly;

/// The code shown on the page: the file, the function, and the instructions
/// that write to memory in one iteration of its loop, in order.
const SHOWN: [(&str, &str, &[&str]); 7] = [
    ("arc", "clone_and_drop", &["lock inc", "mov", "lock dec"]),
    ("rc", "clone_and_drop", &["inc", "mov", "dec"]),
    ("atomic_fetch_add", "count", &["lock inc"]),
    ("atomic_load_store", "count", &["inc"]),
    ("cell", "count", &["inc"]),
    ("ref_cell", "count", &["mov", "inc", "inc"]),
    ("std_mutex", "count", &["lock cmpxchg", "inc", "xchg"]),
];

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn emitted(source: PathBuf, function: &str) -> Assembly {
    Assembly::of(&source, function, "CONSTANT").unwrap().only_loop()
}

fn listed(file: &str) -> PathBuf {
    package().join(format!("src/listings/types/{file}.rs"))
}

#[test]
fn the_assembly_is_what_rustc_emits() {
    for (file, function, _) in SHOWN {
        let shown = package().join(format!("assembly/{file}.s"));
        emitted(listed(file), function).compare(&shown).unwrap();
    }
}

#[test]
fn the_loops_have_the_instructions_that_the_page_names() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return println!("skipped: the page names instructions of x86-64");
    }
    for (file, function, writes) in SHOWN {
        let turn = emitted(listed(file), function);
        let found: Vec<_> = turn.instructions().filter_map(write).collect();
        assert_eq!(found, writes, "{file}");
    }
}

#[test]
fn what_is_set_once_is_read_without_a_lock() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return println!("skipped: the page names instructions of x86-64");
    }
    let turn =
        emitted(package().join("src/types/set_once.rs"), "once_lock::read");
    let locks = |instruction: &&str| {
        ["lock", "xchg"].iter().any(|name| instruction.starts_with(name))
    };
    assert_eq!(turn.instructions().find(locks), None);
    assert!(turn.instructions().count() > 1);
}

/// Returns the name of the instruction if it writes to memory: if its first
/// operand is in memory, and the instruction doesn't only read it.
fn write(instruction: &str) -> Option<&str> {
    let first = instruction.split(',').next()?;
    let (name, _) = first.split_once(" ptr [")?;
    let (name, _width) = name.rsplit_once(' ')?;
    (!["call", "cmp", "test"].contains(&name)).then_some(name)
}
