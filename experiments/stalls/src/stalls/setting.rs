//! The cores of the server and the load generator, and the rate of requests.

use harness::room_for_cores;
use host::cores::usable;

/// The number of messages per second, sent at random times. It is the lowest
/// rate of the experiment `equal-rates` in thread-per-core, which is about a
/// fifth of a bare loop's capacity.
pub(super) const RATE: f64 = 50_000.0;

/// The index of a core among those that this process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(pub(super) usize);

/// Returns the cores of the server and the load generator: the last core and
/// the first one.
pub(super) fn server_and_load() -> Result<[Place; 2], String> {
    room_for_cores(2)?;
    Ok([Place(usable()?.len() - 1), Place(0)])
}
