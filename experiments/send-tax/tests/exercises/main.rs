//! The chapter's exercises. Replace the `todo!()` of one in its module `yours`,
//! and run it:
//!
//! ```sh
//! cargo test -p send-tax --test exercises -- --ignored look_up_once
//! ```
//!
//! What is checked is the answer, and what can be seen of the rule: how often a
//! lock is taken, where a counter lies. How long it takes is yours to measure.
//! The module `worked` has a solution of each.

mod services;
