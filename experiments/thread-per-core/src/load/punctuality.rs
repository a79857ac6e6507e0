//! Records how well an open loop keeps its schedule.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;

/// The maximum delay, in nanoseconds, with which a punctual generator starts
/// on a request. A wake-up by a timer takes 10 to 20 us on a virtual machine,
/// if an idle core has to wake up too. Three times that means that the
/// generator was busy with other things, or had no core.
pub const LATE: u64 = 50_000;

/// How well an open loop kept its schedule, for the requests that were due in
/// the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Punctuality {
    /// The number of requests that were due.
    pub due: u64,
    /// The number of requests that the generator started on more than
    /// [`LATE`] after they were due. The generator was too slow then, and the
    /// latencies include its delay.
    pub late: u64,
    /// The number of requests that could not be sent at once, because the
    /// server was too slow: their connection had the maximum number in
    /// flight, had a full socket, or was broken.
    pub waited: u64,
    /// The delays, in nanoseconds, between the time when a request was due
    /// and the time when the generator started on it.
    pub lateness_ns: Distribution,
}

impl Punctuality {
    /// Records that the generator started on a request `lateness` nanoseconds
    /// after it was due.
    pub(super) fn note(&mut self, lateness: u64, has_waited: bool) {
        self.due += 1;
        self.late += u64::from(lateness > LATE);
        self.waited += u64::from(has_waited);
        self.lateness_ns.record(lateness);
    }

    pub(super) fn add(&mut self, other: &Punctuality) {
        self.due += other.due;
        self.late += other.late;
        self.waited += other.waited;
        self.lateness_ns.add(&other.lateness_ns);
    }
}
