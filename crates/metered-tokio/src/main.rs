//! `metered-tokio 2` starts the server with two workers. It prints its address, and for
//! each line on its standard input what has been counted so far, as JSON. It ends with
//! its input.

use std::process::ExitCode;

fn main() -> ExitCode {
    let workers = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let Some(workers) = workers.filter(|&workers| workers > 0) else {
        eprintln!("metered-tokio: how many workers? metered-tokio 2");
        return ExitCode::FAILURE;
    };
    match metered_tokio::serve(workers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("metered-tokio: {reason}");
            ExitCode::FAILURE
        }
    }
}
