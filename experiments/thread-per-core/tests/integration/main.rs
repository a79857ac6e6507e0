//! All tests of the chapter but its exercises, in one program: each is linked anew.

mod answers;
#[cfg(target_os = "linux")]
mod common;
mod echo;
mod http;
mod limits;
mod load;
