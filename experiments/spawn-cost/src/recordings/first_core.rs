//! The first core, for what sleeps: a virtual machine's kernel may be blind to what
//! another core does when it ceases to be idle (as that of xeon-emr-vm-2 is).

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
