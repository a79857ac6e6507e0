//! A thread that holds state while it waits.

use std::hint::black_box;
use std::sync::{Condvar, Mutex};

/// What threads wait at: whether it is open, and what tells them.
pub type Gate = (Mutex<bool>, Condvar);

/// Holds `STATE` bytes on its stack until the gate opens, and returns their sum.
/// It says that it `waits` before it does.
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
