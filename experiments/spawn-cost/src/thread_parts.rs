//! Experiment `thread-parts`: the parts of a thread's cost. Every process
//! creates threads that return their id, and joins them. Each of the other
//! processes differs from the minimal process in one respect.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use harness::{Cell, Experiment};
use measurement::statistics::median;
use measurement::Source;

use crate::listings::std_thread::create_and_collect;

/// The first argument that makes the program time threads and do nothing
/// else.
pub(crate) const NAME: &str = "threads";

/// The number of threads in a batch, and the number of timed batches.
const THREADS: u64 = 100;
const BATCHES: usize = 40;

/// Makes `std` reserve a stack of 64 KiB per thread. The default is 2 MiB.
const SMALL_STACKS: (&str, &str) = ("RUST_MIN_STACK", "65536");

/// Sets the size of glibc's cache for the stacks of ended threads to 1 GiB.
/// The default, 40 MiB, holds 20 of `std`'s stacks.
const LARGE_STACK_CACHE: (&str, &str) =
    ("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=1073741824");

pub(crate) fn experiment(program: &Path) -> Experiment {
    let process = |arm: &str, environment: Option<(_, _)>| {
        let program = program.to_owned();
        cell(arm, move || in_a_process(&program, environment))
    };
    Experiment::new("thread-parts", "time per unit", "std::thread")
        // The process of the harness also has the idle threads of pools and
        // runtimes.
        .cell(cell("full process", || Ok(time_per_thread())))
        .cell(process("minimal process", None))
        .cell(process("small stacks", Some(SMALL_STACKS)))
        .cell(
            process("large stack cache", Some(LARGE_STACK_CACHE))
                .needs(has_glibc),
        )
}

fn cell(arm: &str, take: impl Fn() -> Result<f64, String> + 'static) -> Cell {
    let take = move || take().map(|time| vec![time]);
    let quantities = ["time per unit"];
    let contender = runtimes::std_thread::NAME;
    Cell::readings(contender, Source::Harness, &quantities, take)
        .parameter("units", THREADS as i64)
        .parameter("arm", arm)
}

fn has_glibc() -> Result<(), String> {
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        Ok(())
    } else {
        Err("the cache of stacks is glibc's, on Linux".to_owned())
    }
}

/// The `main` of a process that runs nothing but the timed threads. Prints
/// the nanoseconds per thread.
pub(crate) fn main() -> ExitCode {
    println!("{}", time_per_thread());
    ExitCode::SUCCESS
}

/// Starts `program` as a process that only times threads, and returns the
/// nanoseconds per thread that it prints.
fn in_a_process(
    program: &PathBuf,
    environment: Option<(&str, &str)>,
) -> Result<f64, String> {
    let output = Command::new(program)
        .arg(NAME)
        .envs(environment)
        .output()
        .map_err(|error| format!("{program:?} cannot be run: {error}"))?;
    let words = String::from_utf8_lossy(&output.stdout);
    words.trim().parse().map_err(|_| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("{program:?} {NAME}: {}, {words:?}, {errors}", output.status)
    })
}

/// Returns the median time per thread over all batches except the first, in
/// nanoseconds.
fn time_per_thread() -> f64 {
    let batch = |_| {
        let start = Instant::now();
        let sum = create_and_collect(THREADS);
        let elapsed = start.elapsed();
        assert_eq!(sum, THREADS * (THREADS - 1) / 2);
        elapsed.as_nanos() as f64 / THREADS as f64
    };
    let times: Vec<f64> = (0..=BATCHES).map(batch).skip(1).collect();
    median(&times)
}
