//! Runs sleeping threads on the first core. On the other cores, the kernel of
//! a virtual machine may not see how they leave the idle state (as on
//! xeon-emr-vm-2).

use std::thread;

use harness::pin_this_thread;

/// Runs a batch in a thread that is pinned to the first core.
pub(super) fn on_the_first_core(batch: &mut (dyn FnMut() + Send)) {
    thread::scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(0).unwrap_or_else(|reason| panic!("{reason}"));
            batch();
        });
    });
}
