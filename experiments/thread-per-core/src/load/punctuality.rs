//! How an open loop keeps its schedule.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;

/// A request that the generator takes up later than this after it was due, in
/// nanoseconds, is late by its own fault. To be woken by a timer takes 10 to 20 us on
/// a virtual machine, where an idle core has to be woken too; what goes beyond three
/// times that is a generator that had other things to do, or had no core.
pub const LATE: u64 = 50_000;

/// How an open loop kept its schedule: of the requests that were due in the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Punctuality {
    /// Requests that were due.
    pub due: u64,
    /// Those that the generator took up more than [`LATE`] after they were due: it was
    /// too slow itself, and the latencies tell of it, too.
    pub late: u64,
    /// Those that were not sent at once, since their connection had as many under way
    /// as it may, its socket was full, or it was broken: the server was too slow.
    pub waited: u64,
    /// How much later than due the generator took requests up, in nanoseconds.
    pub lateness_ns: Distribution,
}

impl Punctuality {
    /// A request was taken up so many nanoseconds after it was due.
    pub(super) fn note(&mut self, lateness: u64, has_waited: bool) {
        self.due += 1;
        self.late += u64::from(lateness > LATE);
        self.waited += u64::from(has_waited);
        self.lateness_ns.record(lateness);
    }

    /// Those of another thread as well.
    pub(super) fn add(&mut self, other: &Punctuality) {
        self.due += other.due;
        self.late += other.late;
        self.waited += other.waited;
        self.lateness_ns.add(&other.lateness_ns);
    }
}
