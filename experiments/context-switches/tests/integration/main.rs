//! All tests of the chapter but its exercises, in one program: each is linked anew.

mod answers;
mod limits;
