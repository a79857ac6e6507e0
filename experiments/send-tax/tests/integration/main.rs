//! All tests of the chapter except its exercises, built as one program to
//! reduce linking time.

mod answers;
mod assembly;
mod services;
