//! The command that `mdbook` runs as a preprocessor: it reads the book from standard input and
//! writes it to standard output, as JSON.

use std::io::Write;
use std::process::ExitCode;

use findings::DataScope;
use mdbook_preprocessor::{Preprocessor, parse_input};
use pages::MeasuredPreprocessor;

fn main() -> ExitCode {
    // `mdbook-measured supports html` asks whether the HTML renderer is supported. All renderers
    // are.
    if std::env::args().nth(1).as_deref() == Some("supports") {
        return ExitCode::SUCCESS;
    }
    let answer = parse_input(std::io::stdin())
        .and_then(|(context, book)| {
            MeasuredPreprocessor::new(DataScope::WithLocal).run(&context, book)
        })
        .and_then(|book| Ok(serde_json::to_writer(std::io::stdout(), &book)?));
    match answer {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "{error:#}"));
            ExitCode::FAILURE
        }
    }
}
