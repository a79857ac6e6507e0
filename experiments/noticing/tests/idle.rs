//! An idle executor does nothing: even its monitor sleeps. This test has a
//! process of its own, so that no other monitor runs in it.

#![cfg(target_os = "linux")]

use std::fs;
use std::thread;
use std::time::Duration;

use noticing::{Executor, Settings};

#[test]
fn the_monitor_rests_while_all_sleep_and_looks_again_when_one_wakes() {
    let look_every = Duration::from_millis(1);
    let settings =
        Settings { workers: 2, spares: 1, look_every: Some(look_every) };
    let executor = Executor::new(settings).unwrap();
    executor.block_on(async {});
    thread::sleep(20 * look_every);
    let before = times_that_the_monitor_slept();
    thread::sleep(50 * look_every);
    assert_eq!(times_that_the_monitor_slept(), before);

    executor.block_on(async { thread::sleep(Duration::from_millis(50)) });
    let looks = times_that_the_monitor_slept() - before;
    assert!(looks > 5, "{looks}");
}

fn times_that_the_monitor_slept() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let mut paths = tasks.map(|task| task.unwrap().path());
    let monitor = paths
        .find(|path| fs::read(path.join("comm")).unwrap() == b"monitor\n")
        .unwrap();
    let status = fs::read_to_string(monitor.join("status")).unwrap();
    let mut lines = status.lines();
    lines
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}
