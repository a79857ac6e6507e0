//! Names that appear in data: of machines, chapters, experiments, contenders and parameters.
//!
//! They become file names, HTML and anchors, so their alphabet is small on purpose.

use thiserror::Error;

/// A name that is not allowed, and what is.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{kind} {name:?} is not a name: {rule}")]
pub struct InvalidName {
    kind: &'static str,
    name: String,
    rule: &'static str,
}

const SLUG: &str = "use lower-case letters, digits and single hyphens, such as \"spawn-cost\"";
const LABEL: &str =
    "use letters, digits, spaces and _ : . + - ( ), 64 at most, such as \"tokio multi-thread\"";

/// Checks the name of a machine, a chapter or an experiment, which are also names of files:
/// lower-case letters and digits in groups joined by single hyphens, at most 64 characters.
pub fn check_slug(kind: &'static str, name: &str) -> Result<(), InvalidName> {
    let group =
        |g: &str| !g.is_empty() && g.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if name.len() <= 64 && name.split('-').all(group) {
        return Ok(());
    }
    Err(InvalidName { kind, name: name.to_owned(), rule: SLUG })
}

/// Checks the name of a contender or a parameter, or a parameter's text value: what a reader sees
/// in tables and charts. No character has a meaning in HTML or in a path.
pub fn check_label(kind: &'static str, name: &str) -> Result<(), InvalidName> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || " _:.+-()".contains(c);
    if (1..=64).contains(&name.len())
        && name.chars().all(allowed)
        && name.trim() == name
        && name.chars().any(|c| c.is_ascii_alphanumeric())
    {
        return Ok(());
    }
    Err(InvalidName { kind, name: name.to_owned(), rule: LABEL })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_cannot_leave_their_directory() {
        for good in ["spawn-cost", "epyc-zen4-vm-2", "local", "a"] {
            assert_eq!(check_slug("machine", good), Ok(()), "{good}");
        }
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "A", "-a", "a--b", "a b", "<b>", "é"] {
            assert!(check_slug("machine", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn labels_cannot_be_html() {
        for good in ["std::thread", "tokio multi-thread", "AtomicU64 load + store", "ours"] {
            assert_eq!(check_label("contender", good), Ok(()), "{good}");
        }
        for bad in ["", " ", "<script>", "a&b", "a\"b", "a'b", "a\nb", " a", "a/b", ".."] {
            assert!(check_label("contender", bad).is_err(), "{bad}");
        }
    }
}
