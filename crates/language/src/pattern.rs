//! Regular expressions, each compiled once.

macro_rules! pattern {
    ($pattern:literal) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).expect("it is one"));
        &*PATTERN
    }};
}
pub(crate) use pattern;
