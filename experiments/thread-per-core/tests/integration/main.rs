//! All tests of the chapter except its exercises, built as one program to
//! reduce linking time.

mod answers;
#[cfg(target_os = "linux")]
mod common;
mod echo;
mod http;
mod limits;
mod load;
