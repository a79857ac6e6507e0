//! A check whose error is in words.

macro_rules! ensure {
    ($is_so:expr, $($otherwise:tt)*) => {
        if !$is_so {
            return Err(format!($($otherwise)*));
        }
    };
}
pub(crate) use ensure;
