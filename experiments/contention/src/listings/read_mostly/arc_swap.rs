//! A configuration that is replaced as a whole.

use std::sync::Arc;

use arc_swap::{ArcSwap, Cache};

/// Calls `look` with the configuration, which a guard keeps alive during the
/// call.
pub fn read<T, Found>(
    config: &ArcSwap<T>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(&config.load())
}

/// Calls `look` with an owned `Arc` of the configuration. A thread may keep
/// such an `Arc` for longer than a guard.
pub fn read_full<T, Found>(
    config: &ArcSwap<T>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(&config.load_full())
}

/// Calls `look` with the thread's cached `Arc`. If the configuration has
/// changed, replaces the `Arc` first.
pub fn read_cached<T, Found>(
    config: &mut Cache<&ArcSwap<T>, Arc<T>>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(config.load())
}

/// Replaces the configuration.
pub fn write<T>(config: &ArcSwap<T>, new: T) {
    config.store(Arc::new(new));
}
