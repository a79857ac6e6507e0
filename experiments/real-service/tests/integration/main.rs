//! All integration tests of the chapter, built as one program to reduce
//! linking time.
#![cfg(target_os = "linux")]

mod answers;
mod bad_cases;
