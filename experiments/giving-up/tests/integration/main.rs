//! All integration tests of the chapter, in one program to save linking.

mod answers;
mod bad_cases;
mod hazards;
#[cfg(target_os = "linux")]
mod reads;
