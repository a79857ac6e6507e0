//! All integration tests of the chapter. They are built as one program to
//! reduce linking time.

mod answers;
mod bad_cases;
mod hazards;
#[cfg(target_os = "linux")]
mod reads;
