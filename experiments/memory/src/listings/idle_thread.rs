//! A thread that holds state while it waits.

use std::hint::black_box;
use std::sync::{Condvar, Mutex};

/// A gate at which threads wait: whether it is open, and the condition variable
/// that wakes them.
pub type Gate = (Mutex<bool>, Condvar);

/// Holds `STATE` bytes on its stack until the gate opens, and returns the sum
/// of the bytes. Calls `waits` just before it waits.
pub fn idle<const STATE: usize>(gate: &Gate, waits: impl FnOnce()) -> u64 {
    let mut state = [0_u8; STATE];
    black_box(&mut state).fill(1);
    let (is_open, opened) = gate;
    let guard = is_open.lock().expect("nobody panics with it");
    waits();
    let guard = opened
        .wait_while(guard, |is_open| !*is_open)
        .expect("nobody panics with it");
    drop(guard);
    black_box(&state).iter().map(|&byte| u64::from(byte)).sum()
}
