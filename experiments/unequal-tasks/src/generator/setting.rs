//! The share of time that requests take, the contender that gives the
//! generator's price, and the names of figures.

/// The share of the workers' time that the requests take.
pub(super) const SHARE: f64 = 0.5;
pub(super) const LOAD_PERCENT: i64 = 50;

/// The contender on which the generator's CPU time is measured for the
/// simulation.
pub(super) const TOKIO: &str = "tokio multi-thread";

/// The time from when a request is due until its task begins to serve it.
pub(super) const WAIT: &str = "waiting time mean";
