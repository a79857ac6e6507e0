//! All integration tests of the chapter, in one program to save linking.
#![cfg(target_os = "linux")]

mod answers;
mod bad_cases;
