//! Regular expressions that are compiled only once.

/// Returns a regular expression, which is compiled the first time.
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {{
        static PATTERN: std::sync::LazyLock<$crate::regex::Regex> =
            std::sync::LazyLock::new(|| $crate::regex::Regex::new($pattern).expect("it is one"));
        &*PATTERN
    }};
}
