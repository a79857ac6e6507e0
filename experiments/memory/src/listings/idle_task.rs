//! A task that holds state while it waits.

use std::hint::black_box;

use tokio::sync::Notify;

/// Holds `STATE` bytes across an await that ends when the gate opens, and
/// returns the sum of the bytes. Calls `waits` just before it waits.
pub async fn idle<const STATE: usize>(
    gate: &Notify,
    waits: impl FnOnce(),
) -> u64 {
    let mut state = [0_u8; STATE];
    black_box(&mut state).fill(1);
    // From here on, opening the gate ends the wait, even if `opened` hasn't
    // been polled.
    let opened = gate.notified();
    waits();
    opened.await;
    black_box(&state).iter().map(|&byte| u64::from(byte)).sum()
}
