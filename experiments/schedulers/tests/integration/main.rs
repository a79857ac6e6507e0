//! All tests of the executors but the models, in one program: each is linked anew.

mod executor;
mod steps;
