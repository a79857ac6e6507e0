//! A configuration in a channel that holds its last value.

use tokio::sync::watch::{Receiver, Sender};

/// Looks something up while the borrow lasts, which holds a read lock.
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
