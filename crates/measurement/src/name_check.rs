//! Checks names in data (of machines, chapters, experiments, contenders and parameters) and the
//! size of figures.
//!
//! Names become file names, HTML and anchors, so their alphabet is small on purpose.

use crate::ensure::ensure;

/// Checks the name of a machine, a chapter or an experiment, which is also a file name: lower-case
/// letters and digits in groups joined by single hyphens, at most 64 characters.
pub fn check_slug(kind: &str, name: &str) -> Result<(), String> {
    let is_group =
        |g: &str| !g.is_empty() && g.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9'));
    ensure!(
        name.len() <= 64 && name.split('-').all(is_group),
        "{kind} {name:?} is not a name: use lower-case letters, digits and single hyphens, such as \
         \"spawn-cost\""
    );
    Ok(())
}

/// Checks the name of a contender or a parameter, or a parameter's text value, which appear in
/// tables and charts. No allowed character has a meaning in HTML or in a path.
pub fn check_label(kind: &str, name: &str) -> Result<(), String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || " _:.+-()".contains(c);
    ensure!(
        name.len() <= 64
            && name.chars().all(is_allowed)
            && name.trim() == name
            && name.contains(|c: char| c.is_ascii_alphanumeric()),
        "{kind} {name:?} is not a name: use letters, digits, spaces and _ : . + - ( ), 64 at most, such \
         as \"tokio multi-thread\""
    );
    Ok(())
}

/// The largest possible figure: 31 years in nanoseconds, or an exabyte.
const LARGEST: f64 = 1e18;

/// Checks that a figure has a possible size.
pub fn check_size(kind: &str, figure: f64) -> Result<(), String> {
    let is_possible = figure.abs() <= LARGEST;
    ensure!(is_possible, "{kind} is {figure:e}, which nothing is: {LARGEST:e} at most");
    Ok(())
}
