//! Regular expressions that are compiled only once.

/// Returns a regular expression that is compiled only once, when it is first needed.
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {{
        static PATTERN: std::sync::LazyLock<$crate::regex::Regex> =
            std::sync::LazyLock::new(|| $crate::regex::Regex::new($pattern).expect("it is one"));
        &*PATTERN
    }};
}
