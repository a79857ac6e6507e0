//! All tests of the executors except the models, in one program to save time
//! for linking.

mod executor;
mod many_files;
mod steps;
