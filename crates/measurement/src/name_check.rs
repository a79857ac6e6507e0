//! Checks names, free text and the size of figures in data.
//!
//! The names of machines, chapters, experiments, contenders and parameters become part of file
//! names, HTML and anchors, so only a few characters are allowed. Other strings are shown
//! unchanged.

use crate::ensure::ensure;

/// Checks the name of a machine, a chapter or an experiment, which is also a file name. It must
/// consist of lower-case letters and digits, in groups joined by single hyphens, with up to 64
/// characters.
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

/// Checks the name of a contender or a parameter, or the text value of a parameter. These names
/// appear in tables and charts, so no allowed character has a meaning in HTML or in a path.
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

/// The maximum length of a string, in characters. The longest reason for a failure so far has a
/// few hundred.
pub const LONGEST: usize = 10_000;

/// Checks that `text` has no more than `longest` characters, and none that change the direction
/// of surrounding text.
pub fn check_text(kind: &str, text: &str, longest: usize) -> Result<(), String> {
    let length = text.chars().count();
    ensure!(
        length <= longest,
        "{kind} has {length} characters, {longest} are the most: shorten it"
    );
    // These characters reverse the rest of a line, and can make one name look like another.
    let turns = |c: &char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match text.chars().find(turns) {
        Some(c) => Err(format!(
            "{kind} has the invisible character U+{:04X}, which changes the direction of the text around it: remove it",
            u32::from(c)
        )),
        None => Ok(()),
    }
}

/// Checks that each string has no more than [`LONGEST`] characters, and passes [`check_text`].
pub(crate) fn check_texts<'a>(
    kind: &str,
    texts: impl IntoIterator<Item = &'a String>,
) -> Result<(), String> {
    texts.into_iter().try_for_each(|text| check_text(kind, text, LONGEST))
}

/// Checks the hash of a commit, whole or shortened: 7 to 64 hexadecimal digits.
pub fn check_commit(commit: &str) -> Result<(), String> {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    ensure!(
        (7..=64).contains(&commit.len()) && commit.bytes().all(is_digit),
        "`commit` is {commit:?}, which is none: write 7 to 64 hexadecimal digits, as git does"
    );
    Ok(())
}

/// The largest plausible figure: 31 years in nanoseconds, or an exabyte in bytes.
pub const LARGEST: f64 = 1e18;

/// Checks that the absolute value of a figure is not above [`LARGEST`].
pub fn check_size(kind: &str, figure: f64) -> Result<(), String> {
    let is_possible = figure.abs() <= LARGEST;
    ensure!(is_possible, "{kind} is {figure:e}, which nothing is: {LARGEST:e} at most");
    Ok(())
}
