//! A configuration in a `watch` channel, which keeps only the last value
//! sent.

use tokio::sync::watch::{Receiver, Sender};

/// Calls `look` with the configuration, holding a read lock during the call.
pub fn read<T, Found>(
    config: &Receiver<T>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(&config.borrow())
}

/// Replaces the configuration.
pub fn write<T>(config: &Sender<T>, new: T) {
    config.send_replace(new);
}
