//! All tests of the chapter except its exercises. They are one program, to
//! save linking time.

mod answers;
#[cfg(target_os = "linux")]
mod common;
mod echo;
mod http;
mod limits;
mod load;
