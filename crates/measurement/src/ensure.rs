//! The macro `ensure!`, which returns an error message unless a condition is true.

macro_rules! ensure {
    ($is_so:expr, $($otherwise:tt)*) => {
        if !$is_so {
            return Err(format!($($otherwise)*));
        }
    };
}
pub(crate) use ensure;
