//! A check that fails with an error in words.

macro_rules! ensure {
    ($is_so:expr, $($otherwise:tt)*) => {
        if !$is_so {
            return Err(format!($($otherwise)*));
        }
    };
}
pub(crate) use ensure;
