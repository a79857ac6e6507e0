//! The program's arguments, and the runtime that it runs on.

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::{echo, operations, spawning, stuck_worker, uncounted_echo};

/// The number of workers in the experiment with a blocked worker, and in its control. It is two
/// on every machine: the blocked worker and one other.
const TWO: usize = 2;

/// Runs the program named by the first argument, with the option named by the second, until
/// standard input is closed.
///
/// # Errors
///
/// Fails if the arguments are unknown, or if the runtime cannot be built here.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [program, option] = arguments else {
        return Err(format!(
            "{} arguments are not a program and an option: unstable-tokio mutex none",
            arguments.len()
        ));
    };
    let mut builder = Builder::new_multi_thread();
    match option.as_str() {
        "none" => &mut builder,
        "disable_lifo_slot" => builder.disable_lifo_slot(),
        "enable_eager_driver_handoff" => builder.enable_eager_driver_handoff(),
        "both" => builder.disable_lifo_slot().enable_eager_driver_handoff(),
        _ => {
            let options = "none, disable_lifo_slot, enable_eager_driver_handoff or both";
            return Err(format!("there is no option {option:?}: {options}"));
        }
    };
    let not_built = |error| format!("Tokio's runtime cannot be built: {error}");
    let build = |builder: &mut Builder| builder.enable_all().build().map_err(not_built);
    match program.as_str() {
        "mutex" => on_request(build(&mut builder)?, operations::mutex),
        "channel" => on_request(build(&mut builder)?, operations::channel),
        "driver" | "lifo-slot" => {
            let runtime = build(builder.worker_threads(TWO))?;
            serve(runtime, stuck_worker::serve(program == "lifo-slot", report), || ())
        }
        "echo" => {
            let runtime = build(&mut builder)?;
            let metrics = runtime.metrics();
            serve(runtime, echo::serve(report), || report(echo::counts(&metrics)))
        }
        "uncounted-echo" => {
            let runtime = build(builder.worker_threads(TWO))?;
            serve(runtime, uncounted_echo::serve(report), || ())
        }
        "message" => on_request(build(builder.worker_threads(TWO))?, operations::channel),
        "spawn" => on_request(build(builder.worker_threads(TWO))?, spawning::spawn),
        _ => {
            let programs =
                "mutex, channel, driver, lifo-slot, echo, uncounted-echo, message or spawn";
            Err(format!("there is no program {program:?}: {programs}"))
        }
    }
}

/// Runs an operation on a worker for each line of input. For each, reports how long the operation
/// took and how many of its results were correct.
fn on_request<Operation: Future<Output = (Duration, u64)> + Send + 'static>(
    runtime: Runtime,
    operation: fn() -> Operation,
) -> Result<(), String> {
    let done = each_line(|| {
        runtime.spawn(async move {
            let (took, right) = operation().await;
            report(format_args!("[{}, {right}]", took.as_nanos()));
        });
    });
    runtime.shutdown_background();
    done
}

/// Runs `server` on a worker, and calls `act` for each line of input.
fn serve(
    runtime: Runtime,
    server: impl Future<Output = io::Result<()>> + Send + 'static,
    act: impl FnMut(),
) -> Result<(), String> {
    runtime.spawn(async move {
        if let Err(error) = server.await {
            eprintln!("unstable-tokio: {error}");
            std::process::exit(1);
        }
    });
    let done = each_line(act);
    runtime.shutdown_background();
    done
}

fn each_line(mut act: impl FnMut()) -> Result<(), String> {
    for line in io::stdin().lines() {
        line.map_err(|error| format!("the standard input: {error}"))?;
        act();
    }
    Ok(())
}

/// Prints a report in JSON. `harness::helper` reads it.
fn report(json: impl Display) {
    println!("report {json}");
}
