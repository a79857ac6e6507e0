//! Prints lines without failing if nobody reads them: if the reader of a pipe has exited, as
//! `head` does, the run continues.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line to standard output like `println`, but ignores errors.
#[macro_export]
macro_rules! say {
    ($($what:tt)*) => {
        $crate::say::line(&mut std::io::stdout(), format_args!($($what)*))
    };
}

/// Writes a line to standard error like `eprintln`, but ignores errors.
#[macro_export]
macro_rules! tell {
    ($($what:tt)*) => {
        $crate::say::line(&mut std::io::stderr(), format_args!($($what)*))
    };
}

/// Writes a line and flushes it. Ignores errors.
pub fn line(to: &mut dyn Write, what: Arguments<'_>) {
    drop(writeln!(to, "{what}").and_then(|()| to.flush()));
}

/// Makes this process exit quietly instead of panicking if it prints and nobody reads the output
/// any more. For programs that do nothing but print.
pub fn end_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<String>();
        if words.is_some_and(|words| {
            words.starts_with("failed printing to std") && words.contains("Broken pipe")
        }) {
            std::process::exit(0);
        }
        usual(panic);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_nobody_reads_is_no_error() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        drop(reader);
        line(&mut writer, format_args!("{}", "a line"));
        let mut read = Vec::new();
        line(&mut read, format_args!("a {}", "line"));
        assert_eq!(read, b"a line\n");
    }
}
