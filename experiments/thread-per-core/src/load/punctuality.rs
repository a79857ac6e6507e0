//! How well an open loop keeps its schedule.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;

/// How late, in nanoseconds, the generator may take up a request. A wake-up
/// by a timer takes 10 to 20 us on a virtual machine, if an idle core has to
/// wake up too; more than three times that means that the generator was busy
/// otherwise, or had no core.
pub const LATE: u64 = 50_000;

/// How well an open loop kept its schedule, for the requests that were due in
/// the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Punctuality {
    /// Requests that were due.
    pub due: u64,
    /// Requests that the generator took up more than [`LATE`] after they were
    /// due: the generator was too slow, and the latencies include its delay.
    pub late: u64,
    /// Requests that were not sent at once because their connection had the
    /// maximum number in flight, had a full socket, or was broken: the server
    /// was too slow.
    pub waited: u64,
    /// How much later than due the generator took up each request, in
    /// nanoseconds.
    pub lateness_ns: Distribution,
}

impl Punctuality {
    /// Counts a request that was taken up `lateness` nanoseconds after it was
    /// due.
    pub(super) fn note(&mut self, lateness: u64, has_waited: bool) {
        self.due += 1;
        self.late += u64::from(lateness > LATE);
        self.waited += u64::from(has_waited);
        self.lateness_ns.record(lateness);
    }

    /// Adds another thread's counts.
    pub(super) fn add(&mut self, other: &Punctuality) {
        self.due += other.due;
        self.late += other.late;
        self.waited += other.waited;
        self.lateness_ns.add(&other.lateness_ns);
    }
}
