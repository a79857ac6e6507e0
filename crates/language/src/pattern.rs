//! Regular expressions, each compiled once.

/// A regular expression that is compiled when it is first used.
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {{
        static PATTERN: std::sync::LazyLock<$crate::regex::Regex> =
            std::sync::LazyLock::new(|| $crate::regex::Regex::new($pattern).expect("it is one"));
        &*PATTERN
    }};
}
