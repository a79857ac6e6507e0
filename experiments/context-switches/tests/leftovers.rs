//! A line of threads or tasks leaves nothing behind when it has ended. This
//! test has a process of its own, because it would also count the threads and
//! files of other tests.
#![cfg(target_os = "linux")]

use std::thread;
use std::time::{Duration, Instant};

use context_switches::brigade::{channel_lines, pipe_lines};
use context_switches::listings::brigade::{compio, park, std_thread, tokio};

/// Returns the number of threads and the number of open files that this
/// process has.
fn held() -> [usize; 2] {
    ["task", "fd"].map(|kind| {
        let entries = std::fs::read_dir(format!("/proc/self/{kind}"));
        entries.expect("it can be read").count()
    })
}

/// Waits until the process has as many threads and open files as `before`,
/// and returns whether that happened. A joined thread may take a moment to
/// end.
fn holds_again(before: [usize; 2]) -> bool {
    let start = Instant::now();
    while held() != before {
        if start.elapsed() > Duration::from_secs(5) {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn nothing_of_a_line_is_left_when_it_has_ended() {
    const UNITS: u64 = 20;
    let before = held();

    let mut line = std_thread::Line::new(UNITS, |_| ()).unwrap();
    assert_eq!(line.pass(1).unwrap(), 21);
    assert_ne!(held(), before);
    line.end().unwrap();
    assert!(holds_again(before), "{:?}, not {before:?}", held());

    let mut line = pipe_lines::std_thread::Line::new(UNITS).unwrap();
    assert_eq!(line.pass(250).unwrap(), 14);
    line.end().unwrap();
    assert!(holds_again(before), "{:?}, not {before:?}", held());

    let mut line = channel_lines::std_thread::Line::new(UNITS);
    assert_eq!(line.pass(250).unwrap(), 14);
    line.end().unwrap();
    assert!(holds_again(before), "{:?}, not {before:?}", held());

    let mut line = park::Line::new(UNITS);
    assert_eq!(line.pass(250), 14);
    line.end().unwrap();
    assert!(holds_again(before), "{:?}, not {before:?}", held());

    match ::compio::runtime::Runtime::new().map_err(runtimes::no_ring) {
        Err(reason) => println!("not of compio: {reason}"),
        Ok(runtime) => runtime.block_on(async {
            let before = held();
            let mut line = pipe_lines::compio::Line::new(UNITS).await.unwrap();
            assert_eq!(line.pass(250).await.unwrap(), 14);
            assert_ne!(held(), before);
            line.end().await.unwrap();
            assert!(holds_again(before), "{:?}, not {before:?}", held());

            let mut line = compio::Line::new(UNITS).unwrap();
            assert_eq!(line.pass(250).await.unwrap(), 14);
            assert_ne!(held(), before);
            line.end().await.unwrap();
            assert!(holds_again(before), "{:?}, not {before:?}", held());
        }),
    }

    let runtime = ::tokio::runtime::Runtime::new().unwrap();
    let metrics = runtime.handle().metrics();
    runtime.block_on(async {
        let before = held();
        let mut line = tokio::Line::new(UNITS).unwrap();
        assert_eq!(line.pass(1).await.unwrap(), 21);
        assert_eq!(metrics.num_alive_tasks(), UNITS as usize);
        line.end().await.unwrap();
        assert_eq!(held(), before);
        // Tokio's metrics still include a task for a moment after its handle
        // has reported completion.
        let start = Instant::now();
        while metrics.num_alive_tasks() > 0 {
            assert!(start.elapsed() < Duration::from_secs(5), "tasks are left");
            ::tokio::task::yield_now().await;
        }
    });
}
