//! The chapter's exercises. Replace the `todo!()` of one in its module `yours`,
//! and run it:
//!
//! ```sh
//! cargo test -p context-switches --test exercises -- --ignored by_notify
//! ```
//!
//! The tests check the answer, and that the rule of the exercise is kept.
//! Measuring the time is up to you. The module `worked` has a solution of each.

#[cfg(target_os = "linux")]
mod lines;
mod notify;
mod turns;
