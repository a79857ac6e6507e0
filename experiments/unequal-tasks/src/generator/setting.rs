//! The setting of the experiment `generator`, and the names of its results.

/// The share of the workers' time that the requests take.
pub(super) const SHARE: f64 = 0.5;
pub(super) const LOAD_PERCENT: i64 = 50;

/// The contender that is used to measure the load generator's CPU time for
/// the simulation.
pub(super) const TOKIO: &str = "tokio multi-thread";

/// The name of the mean waiting time. A request waits from when it is due
/// until its task begins to serve it.
pub(super) const WAIT: &str = "waiting time mean";
