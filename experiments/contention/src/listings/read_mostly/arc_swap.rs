//! A configuration that is swapped as a whole.

use std::sync::Arc;

use arc_swap::{ArcSwap, Cache};

/// Looks something up while the guard keeps the configuration.
pub fn read<T, Found>(
    config: &ArcSwap<T>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(&config.load())
}

/// Looks something up in an `Arc` of one's own, which may be kept for longer.
pub fn read_full<T, Found>(
    config: &ArcSwap<T>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    look(&config.load_full())
}

/// Looks something up in the thread's own `Arc`, which is exchanged if there is
/// another configuration by now.
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
