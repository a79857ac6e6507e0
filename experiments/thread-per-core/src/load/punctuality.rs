//! How an open loop keeps its schedule.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;

/// If the generator takes up a request later than this after it was due, in
/// nanoseconds, the generator is to blame. A wake-up by a timer takes 10 to 20
/// us on a virtual machine, if an idle core has to wake up too; more than three
/// times that means that the generator was busy otherwise, or had no core.
pub const LATE: u64 = 50_000;

/// How an open loop kept its schedule, for the requests that were due in the
/// window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Punctuality {
    /// Requests that were due.
    pub due: u64,
    /// Requests that the generator took up more than [`LATE`] after they were
    /// due: it was too slow itself, and the latencies include that.
    pub late: u64,
    /// Requests that were not sent at once, because their connection had the
    /// maximum number in flight, its socket was full, or it was broken: the
    /// server was too slow.
    pub waited: u64,
    /// How much later than due the generator took requests up, in nanoseconds.
    pub lateness_ns: Distribution,
}

impl Punctuality {
    /// Notes that a request was taken up `lateness` nanoseconds after it was
    /// due.
    pub(super) fn note(&mut self, lateness: u64, has_waited: bool) {
        self.due += 1;
        self.late += u64::from(lateness > LATE);
        self.waited += u64::from(has_waited);
        self.lateness_ns.record(lateness);
    }

    /// Adds the figures of another thread.
    pub(super) fn add(&mut self, other: &Punctuality) {
        self.due += other.due;
        self.late += other.late;
        self.waited += other.waited;
        self.lateness_ns.add(&other.lateness_ns);
    }
}
