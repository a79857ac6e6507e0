//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p send-tax --test exercises -- --ignored look_up_once
//! ```
//!
//! The tests check the answer, and the visible part of the rule: how often a
//! lock is taken, where a counter is. Measuring the time is up to you. The
//! module `worked` has a solution to each exercise.

mod services;
