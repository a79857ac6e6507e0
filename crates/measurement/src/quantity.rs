//! Quantities, and the unit of each.

use thiserror::Error;

use crate::Unit;

/// What a quantity may begin with, and the unit that follows from it.
const QUANTITIES: &[(&str, Unit)] = &[
    ("time per ", Unit::Nanoseconds),
    ("time to ", Unit::Nanoseconds),
    ("total time", Unit::Nanoseconds),
    ("CPU time per ", Unit::Nanoseconds),
    ("user CPU time per ", Unit::Nanoseconds),
    ("system CPU time per ", Unit::Nanoseconds),
    ("makespan", Unit::Nanoseconds),
    ("work for a tenth of overhead", Unit::Nanoseconds),
    ("lateness ", Unit::Nanoseconds),
    ("latency ", Unit::Nanoseconds),
    ("waiting time ", Unit::Nanoseconds),
    ("wake-up", Unit::Nanoseconds),
    ("recorded time", Unit::Nanoseconds),
    ("extrapolated time", Unit::Nanoseconds),
    ("unrecorded time", Unit::Nanoseconds),
    ("throughput", Unit::PerSecond),
    ("capacity", Unit::PerSecond),
    ("bytes per ", Unit::Bytes),
    ("resident memory per ", Unit::Bytes),
    ("virtual memory per ", Unit::Bytes),
    ("kernel memory per ", Unit::Bytes),
    ("page tables per ", Unit::Bytes),
    ("kernel stacks per ", Unit::Bytes),
    ("slab per ", Unit::Bytes),
    ("touched stack per ", Unit::Bytes),
    ("allocations per ", Unit::One),
    ("system calls per ", Unit::One),
    ("read calls per ", Unit::One),
    ("write calls per ", Unit::One),
    ("epoll_wait calls per ", Unit::One),
    ("futex calls per ", Unit::One),
    ("io_uring_enter calls per ", Unit::One),
    ("sched_yield calls per ", Unit::One),
    ("epoll instances", Unit::One),
    ("io_uring instances", Unit::One),
    ("context switches per ", Unit::One),
    ("interrupts per ", Unit::One),
    ("migrations per ", Unit::One),
    ("page faults per ", Unit::One),
    ("moves per ", Unit::One),
    ("polls per ", Unit::One),
    ("steals per ", Unit::One),
    ("steal operations per ", Unit::One),
    ("memory references per ", Unit::One),
    ("cache misses per ", Unit::One),
    ("utilisation", Unit::One),
    (SHARE, Unit::One),
    ("share of ", Unit::One),
    ("CPU share of ", Unit::One),
    ("ratio", Unit::One),
    ("ratio of ", Unit::One),
    ("reached", Unit::One),
    ("room for ", Unit::One),
];

/// A quantity that this crate has no unit for.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("quantity {quantity:?} is not known: one begins with one of {known}; a new kind is added in crates/measurement/src/quantity.rs")]
pub struct UnknownQuantity {
    quantity: String,
    known: String,
}

/// The unit of a quantity, which follows from how its name begins.
pub fn unit_of(quantity: &str) -> Result<Unit, UnknownQuantity> {
    let known = QUANTITIES.iter().map(|(prefix, _)| format!("{:?}", prefix.trim_end()));
    QUANTITIES
        .iter()
        .find(|(prefix, _)| {
            if prefix.ends_with(' ') {
                quantity.strip_prefix(prefix).is_some_and(|rest| !rest.trim().is_empty())
            } else {
                quantity == *prefix
            }
        })
        .map(|(_, unit)| *unit)
        .ok_or_else(|| UnknownQuantity {
            quantity: quantity.to_owned(),
            known: known.collect::<Vec<_>>().join(", "),
        })
}

/// A share that does not say of what: a part of a whole, or by what share two things differ.
pub(crate) const SHARE: &str = "share";

/// Whether a quantity is a share of 1.
pub fn is_share(quantity: &str) -> bool {
    quantity == SHARE || is_part(quantity)
}

/// Whether a quantity is a part of a whole: of what it names, or of workers' time.
pub(crate) fn is_part(quantity: &str) -> bool {
    quantity.starts_with("share of ") || quantity == "utilisation"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_is_a_name_that_a_row_may_have() {
        for (quantity, _) in QUANTITIES {
            crate::name_check::check_label("quantity", quantity.trim_end()).unwrap();
        }
    }

    #[test]
    fn the_unit_follows_from_the_name() {
        assert_eq!(unit_of("time per unit"), Ok(Unit::Nanoseconds));
        assert_eq!(unit_of("latency p99"), Ok(Unit::Nanoseconds));
        assert_eq!(unit_of("waiting time mean"), Ok(Unit::Nanoseconds));
        assert_eq!(unit_of("utilisation"), Ok(Unit::One));
        assert_eq!(unit_of("throughput"), Ok(Unit::PerSecond));
        assert_eq!(unit_of("resident memory per unit"), Ok(Unit::Bytes));
        assert_eq!(unit_of("moves per message"), Ok(Unit::One));
        for bad in ["", "time", "time per ", "speed", "Time per unit", "throughputs"] {
            assert!(unit_of(bad).is_err(), "{bad}");
        }
    }
}
