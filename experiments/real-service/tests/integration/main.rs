//! All tests of the chapter, in one program: each is linked anew.
#![cfg(target_os = "linux")]

mod answers;
mod bad_cases;
