//! The command line of a chapter.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{ensure, Result};
use clap::Parser;
use measurement::name_check::check_slug;
use measurement::{Profile, Run};
use recordings::RecordingRun;

use crate::cell::Cell;
use crate::chapter::Chapter;
use crate::plan::Plan;
use crate::record_run::record_run;
use crate::{child, recording_table, run, terminal_table, tracer};

/// Measures this chapter's experiments on this machine and prints a table.
///
/// The program visits every cell many times, in shuffled order and in several processes. If a cell
/// can't be measured on this machine, the table gives the reason. Close other programs that keep
/// the machine busy.
#[derive(Parser)]
#[command(
    after_help = "`cargo book measure` does the same run and shows the result in the book."
)]
struct Arguments {
    /// Measure, list or verify only the cells whose name contains this string
    #[arg(default_value = "", hide_default_value = true)]
    filter: String,
    /// Measure every cell, in more rounds
    #[arg(long)]
    full: bool,
    /// Print the run as JSON lines (a header, then rows, for each experiment) instead of a table
    #[arg(long)]
    json: bool,
    /// List the cells instead of measuring; `(full)` marks cells that only --full measures, and
    /// `(record)` marks those that --record records
    #[arg(long)]
    list: bool,
    /// Run each cell once and check its answer, instead of measuring
    #[arg(long)]
    verify: bool,
    /// Record operations of the `(record)` cells step by step, instead of measuring (needs Linux and
    /// root)
    #[arg(long, conflicts_with_all = ["full", "list", "verify"])]
    record: bool,
    /// How long to wait for the machine to become quiet before measuring anyway
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = humantime::parse_duration)]
    wait: Duration,
    /// The name of this machine in the header of the run
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = machine)]
    machine: String,
    /// Run two processes with three short rounds each, for tests
    #[arg(long, hide = true)]
    brief: bool,
    /// Passed by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
    /// Exit when standard input is closed, for a program that starts this one
    #[arg(long, hide = true)]
    tied: bool,
    /// Serve visits to the parent process
    #[arg(long, hide = true)]
    child: bool,
    /// Let the process that started this one trace it
    #[arg(long, hide = true, requires = "child")]
    traced: bool,
    /// Start a traced child and count its system calls
    #[arg(long, hide = true)]
    tracer: bool,
}

fn machine(name: &str) -> Result<String, String> {
    check_slug("machine", name).map(|()| name.to_owned())
}

/// The `main` of a chapter's program: reads the command line, measures and
/// prints. Exits with 0 if the run completed. Benchmarks that failed are rows
/// of the run.
pub fn main(chapter: Chapter) -> ExitCode {
    dispatch(chapter, Arguments::parse())
}

/// The `main` of a chapter's bench target, which measures the same as the
/// chapter's program. If it isn't started by `cargo bench` but, for example,
/// by `cargo test --benches`, it runs each benchmark once and checks the
/// answer.
pub fn bench_main(chapter: Chapter) -> ExitCode {
    let mut arguments = Arguments::parse();
    arguments.verify |=
        !(arguments.bench || arguments.child || arguments.tracer);
    dispatch(chapter, arguments)
}

fn dispatch(chapter: Chapter, arguments: Arguments) -> ExitCode {
    match execute(&chapter, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            host::tell!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(chapter: &Chapter, arguments: Arguments) -> Result<()> {
    if arguments.tracer {
        std::process::exit(tracer::trace()?);
    }
    if arguments.child {
        if arguments.traced {
            tracer::be_traced();
        }
        return child::serve(chapter);
    }
    let Arguments { filter, machine, json, .. } = &arguments;
    if arguments.list {
        let line = |(name, cell): (String, &Cell)| {
            let mark = match (&cell.recording, cell.full_only) {
                (Some(_), _) => " (record)",
                (None, true) => " (full)",
                (None, false) => "",
            };
            format!("{name}{mark}\n")
        };
        return print(
            &chapter.cells_with(filter).map(line).collect::<String>(),
        );
    }
    let is_slow = cfg!(debug_assertions)
        && !(arguments.brief || arguments.record || arguments.tied);
    if arguments.verify || is_slow {
        let cells = chapter.cells_with(filter).count();
        ensure!(
            cells > 0,
            "no cell contains {filter:?}; --list prints their names"
        );
        let skipped = chapter.verify(filter).map_err(anyhow::Error::msg)?;
        for name in &skipped {
            print(&format!("cannot run here: {name}\n"))?;
        }
        let right = cells - skipped.len();
        let also = match skipped.len() {
            0 => String::new(),
            count => format!(", {count} are not possible here"),
        };
        print(&format!("{right} cells gave the right answer{also}\n"))?;
        if !arguments.verify {
            let name = &chapter.name;
            host::tell!("built without optimisation, so nothing was measured: cargo run -r -p {name}");
        }
        return Ok(());
    }
    if arguments.tied {
        end_with_input();
    }
    let profile = if arguments.full { Profile::Full } else { Profile::Quick };
    let mut plan = Plan::new(profile);
    plan.patience = arguments.wait;
    if arguments.brief {
        plan.windows_back = true;
        (plan.processes, plan.rounds, plan.relink) = (2, 3, false);
        plan.sample = Duration::from_millis(1);
        plan.warm_up = Duration::from_millis(2);
        plan.patience = Duration::ZERO;
    }
    print(&if arguments.record {
        let runs = record_run(chapter, &plan, filter, machine)?;
        if *json {
            runs.iter().map(RecordingRun::to_json_lines).collect()
        } else {
            recording_table::render(&runs)
        }
    } else {
        let runs = run::run(chapter, &plan, filter, machine)?;
        if *json {
            runs.iter().map(Run::to_json_lines).collect()
        } else {
            terminal_table::render(chapter, &runs)
        }
    })
}

fn print(text: &str) -> Result<()> {
    // Writing fails if a reader such as `head` has exited. That is not an
    // error.
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Starts a thread that ends this process as soon as standard input is
/// closed. Use this in a process that must not outlive its parent.
pub fn end_with_input() {
    std::thread::spawn(|| {
        // Discards all input, and returns when the input is closed.
        drop(std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
        std::process::exit(1);
    });
}
