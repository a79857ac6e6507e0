//! Prints the messages of a server process to standard output.

use std::io::{self, Write};
use std::net::TcpListener;

pub(crate) fn announce(listener: &TcpListener) {
    let address = listener.local_addr().expect("it is bound");
    say(&format!("{address} is served"));
}

/// Prints a line and flushes the output. Errors are ignored: if the reader
/// has gone, the process is about to end anyway.
pub(crate) fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}
