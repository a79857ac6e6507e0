//! All tests of the chapter except its exercises. They are one program, to
//! save linking time.

mod answers;
mod limits;
