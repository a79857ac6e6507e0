//! Starts `cargo book`, which the library of this package implements.

use std::process::ExitCode;

fn main() -> ExitCode {
    match book::cli::execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            host::tell!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
