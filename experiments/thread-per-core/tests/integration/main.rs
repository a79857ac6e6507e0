//! All tests of the chapter except its exercises, in one program to save
//! linking.

mod answers;
#[cfg(target_os = "linux")]
mod common;
mod echo;
mod http;
mod limits;
mod load;
