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
