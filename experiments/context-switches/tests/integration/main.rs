//! All tests of the chapter except its exercises. They are built as one
//! program to reduce linking time.

mod answers;
mod limits;
