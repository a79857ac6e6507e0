//! Checks that the compiled loops have the instructions that the page
//! describes. See `harness::assembly`.

use std::path::Path;

use harness::assembly::Assembly;

/// Returns the instructions of one iteration of the only loop in `function`.
fn turn(file: &str, function: &str) -> Vec<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = package.join(format!("src/listings/{file}.rs"));
    let emitted = Assembly::of(&source, function, "CONSTANT").unwrap();
    let turn = emitted.only_loop();
    turn.instructions().map(str::to_owned).collect()
}

fn accesses(turn: &[String]) -> Vec<&str> {
    let touches = |instruction: &&String| {
        instruction.contains(" ptr [") && !instruction.starts_with("lea")
    };
    turn.iter().filter(touches).map(String::as_str).collect()
}

#[test]
fn a_step_of_the_walk_is_a_load_whose_place_is_what_the_last_one_found() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return println!("skipped: it names instructions of x86-64");
    }
    let turn = turn("ladder/cycle", "walk");
    let [load] = accesses(&turn)[..] else { panic!("{turn:?}") };
    let (found, place) = load.split_once(", ").unwrap();
    let found = found.strip_prefix("mov ").unwrap();
    assert!(place.ends_with(&format!("+ {found}]")), "{load}");
}

#[test]
fn what_is_counted_in_a_thread_local_is_counted_there_each_time() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return println!("skipped: it names instructions of x86-64");
    }
    let turn = turn("accumulation/own", "count_in_thread_local");
    let [count] = accesses(&turn)[..] else { panic!("{turn:?}") };
    assert!(count.starts_with("inc "), "{count}");
}
