//! A log line, formatted and written to a buffer.

use std::io::{self, Write};
use std::time::SystemTime;

/// Appends a line about an answered request to `log`, with the current time.
pub fn log(
    log: &mut impl Write,
    visitor: u64,
    request: &str,
    bytes: usize,
) -> io::Result<()> {
    let now = humantime::format_rfc3339_micros(SystemTime::now());
    writeln!(log, "{now} INFO {visitor} \"{request}\" 200 {bytes}")
}
