//! All tests of the executors except the models, built as one program to
//! reduce linking time.

mod executor;
mod many_files;
mod steps;
