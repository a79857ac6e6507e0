//! Every contender gives the right answer, and its blocking calls leave no
//! threads behind. This is the only test in its process: the threads of
//! another test would be counted as well.

#[test]
fn every_contender_returns_the_same_answer() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_spawn-cost"));
    for cores in ["1", "2", "4", "16", "128"] {
        let mut list = std::process::Command::new(program);
        let listed = list.arg("--list").env("HARNESS_CORES", cores).output();
        assert!(listed.unwrap().status.success(), "{cores} cores");
    }
    for skipped in spawn_cost::chapter(program).verify("").unwrap() {
        println!("cannot run here: {skipped}");
    }
    #[cfg(target_os = "linux")]
    no_blocking_call_has_left_a_thread();
}

/// Checks that only Tokio's workers are left: one per core for the harness,
/// and one in a separate runtime. Threads for blocking calls have the same
/// name as workers.
#[cfg(target_os = "linux")]
fn no_blocking_call_has_left_a_thread() {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    // A thread that has been joined may still be ending.
    let name = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default()
    };
    let names: Vec<_> = threads.map(|thread| name(thread.unwrap())).collect();
    let of_tokio = |name: &&String| {
        ["tokio-rt-worker", "for a visit"].contains(&name.trim_end())
    };
    let cores = std::thread::available_parallelism().unwrap().get();
    let left = names.iter().filter(of_tokio).count();
    assert!(left > 0, "Tokio's workers have other names: {names:?}");
    assert!(left <= cores + 1, "{left} threads of Tokio's: {names:?}");
}
