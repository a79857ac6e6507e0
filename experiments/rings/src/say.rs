//! The standard output of a server's process.

use std::io::{self, Write};
use std::net::TcpListener;

/// Prints the address on which a server can be reached.
pub(crate) fn announce(listener: &TcpListener) {
    let address = listener.local_addr().expect("it is bound");
    say(&format!("{address} is served"));
}

/// Prints a line at once. Errors are ignored, because the process will end
/// anyway if the reader has gone.
pub(crate) fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}
