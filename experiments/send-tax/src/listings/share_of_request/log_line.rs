//! A line of a log, formatted and written to a buffer.

use std::io::{self, Write};
use std::time::SystemTime;

/// Writes that a request has been answered, and when.
pub fn log(
    log: &mut impl Write,
    visitor: u64,
    request: &str,
    bytes: usize,
) -> io::Result<()> {
    let now = humantime::format_rfc3339_micros(SystemTime::now());
    writeln!(log, "{now} INFO {visitor} \"{request}\" 200 {bytes}")
}
