//! What a server's process prints on its standard output.

use std::io::{self, Write};
use std::net::TcpListener;

/// Prints the address at which the server can be reached.
pub(crate) fn announce(listener: &TcpListener) {
    let address = listener.local_addr().expect("it is bound");
    say(&format!("{address} is served"));
}

/// Prints a line at once. Ignores errors: if the reader has gone, the process
/// will end anyway.
pub(crate) fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}
