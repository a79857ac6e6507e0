//! Exercises on threads and tasks in a line. The line uses special kinds of
//! files that Linux provides.

use std::future::Future;

use nix::sys::eventfd::EventFd;
use tokio::net::unix::pipe::{Receiver, Sender};

/// Write your solution here.
mod yours {
    use super::*;

    /// *With room.* A unit of a line of Tokio tasks over pipes. The unit in
    /// `brigade/pipe_lines.rs` calls the kernel twice for each byte, and only
    /// the second call shows that there is no further byte. Pass on each byte
    /// with one added, until the pipe is closed, with one call of read per
    /// byte.
    pub(super) async fn with_room(from: Receiver, to: Sender) {
        let _ = (from, to);
        todo!()
    }

    /// *By eventfd.* A unit of a line of threads over eventfd, the smallest
    /// file that Linux has. An eventfd holds one number. Do this `laps`
    /// times: read from `from`, add one, and write the result to `to`. The
    /// unit must not spin while it waits.
    pub(super) fn by_eventfd(from: &EventFd, to: &EventFd, laps: u64) {
        let _ = (from, to, laps);
        todo!()
    }
}

mod worked {
    use super::*;

    /// If a read doesn't fill Tokio's buffer, Tokio knows that no more bytes
    /// are available, and doesn't call the kernel again.
    pub(super) async fn with_room(mut from: Receiver, mut to: Sender) {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut bytes = [0; 2];
        while from.read(&mut bytes).await.expect("a pipe can be read") > 0 {
            let byte = [bytes[0].wrapping_add(1)];
            to.write_all(&byte).await.expect("a pipe can be written");
        }
    }

    /// Reading an eventfd resets its number to 0, and blocks while the number
    /// is 0.
    pub(super) fn by_eventfd(from: &EventFd, to: &EventFd, laps: u64) {
        for _ in 0..laps {
            let number = from.read().expect("an eventfd can be read");
            to.write(number + 1).expect("an eventfd can be written");
        }
    }
}

const UNITS: u64 = 20;
const LAPS: u64 = 50;

fn check_with_room<Unit>(solution: fn(Receiver, Sender) -> Unit)
where
    Unit: Future<Output = ()> + Send + 'static,
{
    let reads = reads_per_byte(solution);
    assert!(reads < 1.1, "{reads} calls to read a byte");
}

/// Returns how many read calls each unit of a line makes per byte.
fn reads_per_byte<Unit>(unit: impl Fn(Receiver, Sender) -> Unit) -> f64
where
    Unit: Future<Output = ()> + Send + 'static,
{
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::unix::pipe::pipe;

    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_io().build().unwrap().block_on(async {
        let (mut first, mut last) = pipe().unwrap();
        let mut units = Vec::new();
        for _ in 0..UNITS {
            let (to, next) = pipe().unwrap();
            let from = std::mem::replace(&mut last, next);
            units.push(tokio::spawn(unit(from, to)));
        }
        let before = reads();
        for byte in 0..LAPS as u8 {
            first.write_all(&[byte]).await.unwrap();
            let mut passed = [0; 2];
            assert_eq!(last.read(&mut passed).await.unwrap(), 1);
            assert_eq!(passed[0], byte + UNITS as u8);
        }
        // The receiver at the end of the line isn't included. It also reads
        // into a larger buffer, and so makes one call per lap.
        let by_units = reads() - before - LAPS;
        drop(first);
        for unit in units {
            unit.await.unwrap();
        }
        by_units as f64 / (UNITS * LAPS) as f64
    })
}

fn reads() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let mut lines = counts.lines();
    let count = lines.find_map(|line| line.strip_prefix("syscr: ")).unwrap();
    count.parse().unwrap()
}

fn check_by_eventfd(solution: fn(&EventFd, &EventFd, u64)) {
    use std::thread;
    use std::time::Duration;

    let files: Vec<_> = (0..=UNITS).map(|_| EventFd::new().unwrap()).collect();
    let (first, last) = (&files[0], &files[UNITS as usize]);
    thread::scope(|scope| {
        for ends in files.windows(2) {
            scope.spawn(|| solution(&ends[0], &ends[1], LAPS));
        }
        for number in 1..LAPS {
            first.write(number).unwrap();
            assert_eq!(last.read().unwrap(), number + UNITS);
        }
        // All threads of the line are waiting for a number now. They must not
        // spin.
        let before = cpu_time();
        thread::sleep(Duration::from_millis(50));
        let spent = cpu_time() - before;
        first.write(LAPS).unwrap();
        assert_eq!(last.read().unwrap(), LAPS + UNITS);
        assert!(spent < Duration::from_millis(25), "{spent:?} while waiting");
    });
}

fn cpu_time() -> std::time::Duration {
    use nix::time::{clock_gettime, ClockId};
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.expect("the clock can be read").into()
}

#[test]
#[ignore = "an exercise"]
fn with_room() {
    check_with_room(yours::with_room);
}

#[test]
#[ignore = "an exercise"]
fn by_eventfd() {
    check_by_eventfd(yours::by_eventfd);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_with_room(worked::with_room);
    check_by_eventfd(worked::by_eventfd);
}

/// As described in the exercise, the unit in `brigade/pipe_lines.rs` calls
/// the kernel twice per byte.
#[test]
fn a_buffer_that_is_filled_is_read_into_again() {
    use context_switches::brigade::pipe_lines::tokio::unit;
    let reads = reads_per_byte(|from, to| async {
        unit(from, to).await.expect("pipes can be read and written");
    });
    assert!(reads > 1.9, "{reads} calls to read a byte");
}
