//! All tests of the chapter except its exercises, in one program to save time
//! for linking.

mod answers;
mod bad_cases;
