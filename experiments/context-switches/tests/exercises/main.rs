//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p context-switches --test exercises -- --ignored by_notify
//! ```
//!
//! The tests check the answer, and that the solution keeps the rule of the
//! exercise. Measuring how long it takes is up to you. The module `worked`
//! has a solution for each exercise.

#[cfg(target_os = "linux")]
mod lines;
mod notify;
mod turns;
