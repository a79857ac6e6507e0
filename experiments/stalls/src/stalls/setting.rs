//! Where servers and loads are, and how much they are asked.

use harness::room_for_cores;
use host::cores::usable;

/// Messages a second, at random instants: the lowest rate of `equal-rates` in
/// thread-per-core, about a fifth of what a bare loop can answer.
pub(super) const RATE: f64 = 50_000.0;

/// A core, by its place among those of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(pub(super) usize);

/// With a core each, the server has the last, and the load the first.
pub(super) fn server_and_load() -> Result<[Place; 2], String> {
    room_for_cores(2)?;
    Ok([Place(usable()?.len() - 1), Place(0)])
}
