//! A growing number of threads that wait.

use std::collections::BTreeSet;
use std::ptr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use host::memory::resident_around;

use crate::batches::batches;
use crate::listings::idle_thread::{idle, Gate};

/// The number of bytes that each thread holds while it waits.
const HELD: usize = 64;

/// Threads with `std`'s default stack that wait at a gate. If this value is
/// dropped without a call of [`end`](WaitingThreads::end), they wait as long
/// as the process lives.
pub(super) struct WaitingThreads {
    gate: Arc<Gate>,
    threads: Vec<JoinHandle<u64>>,
    /// For each thread, an address on its stack.
    on_stacks: BTreeSet<u64>,
    /// Reports an address on the stack of each waiting thread.
    says: Sender<u64>,
    said: Receiver<u64>,
}

impl WaitingThreads {
    pub(super) fn none() -> WaitingThreads {
        let (says, said) = mpsc::channel();
        WaitingThreads {
            gate: Arc::default(),
            threads: Vec::new(),
            on_stacks: BTreeSet::new(),
            says,
            said,
        }
    }

    /// Starts `more` additional threads, and returns when they wait.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
    pub(super) fn add(&mut self, more: u64) -> Result<(), String> {
        for batch in batches(more) {
            for _ in 0..batch {
                let (gate, says) = (self.gate.clone(), self.says.clone());
                let unit = move || {
                    let local = 0_u8;
                    let address = ptr::from_ref(&local).addr() as u64;
                    idle::<HELD>(&gate, || {
                        // Sending fails only if the receiver has stopped
                        // waiting after an error.
                        says.send(address).ok();
                    })
                };
                let started = self.threads.len();
                let thread = thread::Builder::new().spawn(unit);
                self.threads.push(thread.map_err(|error| {
                    format!("after {started} threads: {error}")
                })?);
            }
            // Waits until all threads of the batch have reported an address.
            self.on_stacks.extend(self.said.iter().take(batch as usize));
        }
        Ok(())
    }

    pub(super) fn count(&self) -> u64 {
        self.on_stacks.len() as u64
    }

    /// Returns how much of the threads' stacks is resident, in bytes.
    ///
    /// # Errors
    ///
    /// If the kernel doesn't report it.
    pub(super) fn touched_stacks(&self) -> Result<u64, String> {
        resident_around(&self.on_stacks)
    }

    /// Opens the gate, and checks that each thread has held its state.
    ///
    /// # Errors
    ///
    /// If a thread has lost its state.
    pub(super) fn end(self) -> Result<(), String> {
        let expected = self.count() * HELD as u64;
        let (is_open, opened) = &*self.gate;
        *is_open.lock().expect("nobody panics with it") = true;
        opened.notify_all();
        let sums = self.threads.into_iter().map(JoinHandle::join);
        let sum: Result<u64, _> = sums.sum();
        match sum {
            Ok(sum) if sum == expected => Ok(()),
            Ok(sum) => Err(format!("they held {sum}, not {expected}")),
            Err(_) => Err("a thread has panicked".to_owned()),
        }
    }
}
