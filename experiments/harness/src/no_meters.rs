//! Counting on systems other than Linux: only the program's own counts are
//! available.

use crate::allocations;
use crate::counter::{Counter, CounterReading, Pass, COUNTERS};

pub(crate) struct NoMeters;

impl NoMeters {
    pub(crate) fn open(_pass: Pass) -> NoMeters {
        NoMeters
    }

    pub(crate) fn start(&mut self) {}

    pub(crate) fn stop(&mut self) {}

    pub(crate) fn read(&mut self) -> CounterReading {
        let mut counts = CounterReading([0; COUNTERS]);
        let (allocations, bytes) = allocations::counted();
        counts.0[Counter::Allocations as usize] = allocations;
        counts.0[Counter::Bytes as usize] = bytes;
        counts
    }

    pub(crate) fn unavailable(&self, counter: Counter) -> Option<String> {
        match counter {
            Counter::Allocations | Counter::Bytes => None,
            _ => Some("counted on Linux only".to_owned()),
        }
    }
}

pub(crate) fn tracepoints_can_be_counted() -> bool {
    false
}
