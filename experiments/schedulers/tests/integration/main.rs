//! All tests of the executors except the models, in one program to save
//! linking.

mod executor;
mod many_files;
mod steps;
