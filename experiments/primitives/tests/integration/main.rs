//! All tests of the chapter but its exercises, in one program: each is linked anew.

mod answers;
mod bad_cases;
mod budget;
mod convoy;
mod late_listeners;
