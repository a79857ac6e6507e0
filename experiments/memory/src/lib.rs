//! The memory of an idle thread or task, and how many of them there can be.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;

mod afterwards;
mod allocator;
mod allocators;
mod batches;
mod by_count;
mod channels;
mod connections;
mod futures;
mod how_many;
mod limits;
mod line;
pub mod listings;
mod parts;
mod peers;
mod per_unit;
mod report;
mod runtime_alone;
mod server;
mod talking_child;
mod under_count;
mod units;
mod until_refused;
mod waits;
mod wanted_connections;
mod wanted_units;

/// The text that is printed before the help on the chapter's experiments.
const ALL_HELP: &str = "\
This program is two, by its first argument:

  memory limits ...   says what limits how many threads, tasks or sockets there
                      can be (limits --help)
  memory ...          measures the experiments, as follows

";

/// Returns the chapter's experiments. They run threads and tasks in processes
/// of `program`, which must call [`main`].
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        per_unit::experiment(program),
        per_unit::stacks(program),
        by_count::experiment(program),
        connections::experiment(program),
        parts::experiment(),
        channels::experiment(program),
        futures::experiment(),
        runtime_alone::experiment(program),
        afterwards::experiment(program),
        allocators::experiment(program),
        how_many::experiment(program),
        how_many::refused(program),
        under_count::experiment(),
        waits::experiment(),
    ];
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs. If the first argument asks for it,
/// reports limits or runs a process with threads or tasks; otherwise calls
/// `measure` with the chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            host::tell!("error: this program does not find itself: {error}");
            return ExitCode::FAILURE;
        }
    };
    // The arguments after a subprogram's name belong to that subprogram.
    let mut arguments = std::env::args_os().skip(1).peekable();
    match arguments.peek().and_then(|first| first.to_str()) {
        Some("limits") => {
            host::say::end_when_nobody_reads();
            return limits::main(&program, arguments);
        }
        Some(wanted_units::NAME) => return units::main(arguments),
        Some(until_refused::NAME) => return until_refused::main(arguments),
        Some(wanted_connections::NAME) => {
            return server::main(&program, arguments);
        }
        Some(peers::NAME) => return peers::main(arguments),
        Some(channels::NAME) => return channels::main(arguments),
        Some("-h" | "--help") => host::say!("{}\n", ALL_HELP.trim_end()),
        _ => {}
    }
    // Connections are open files, and child processes inherit the limit on
    // them.
    harness::raise_file_limit();
    if arguments.any(|argument| argument == "--full") {
        let most = how_many::TOUCHED >> 30;
        host::tell!("this run touches {most} GiB of memory at most; what does not fit is not measured");
    }
    measure(chapter(&program))
}
