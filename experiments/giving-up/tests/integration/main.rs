//! All tests of the chapter, in one program: each is linked anew.

mod answers;
mod bad_cases;
mod hazards;
#[cfg(target_os = "linux")]
mod reads;
