//! What a server's process says on its standard output.

use std::io::{self, Write};
use std::net::TcpListener;

/// Says that a server can be connected to.
pub(crate) fn announce(listener: &TcpListener) {
    let address = listener.local_addr().expect("it is bound");
    say(&format!("{address} is served"));
}

/// Prints a line at once. If nobody reads it any more, the end is near.
pub(crate) fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}
