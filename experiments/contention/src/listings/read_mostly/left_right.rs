//! Two copies of a configuration: readers use one copy while the writer
//! changes the other.

use left_right::{Absorb, ReadHandle, WriteHandle};

/// One of the two copies of the configuration.
#[derive(Clone)]
pub struct Side<T>(pub T);

/// The change that the writer applies to one copy after the other.
pub struct Replace<T>(pub T);

impl<T: Clone> Absorb<Replace<T>> for Side<T> {
    fn absorb_first(&mut self, Replace(new): &mut Replace<T>, _: &Self) {
        self.0 = new.clone();
    }

    fn absorb_second(&mut self, Replace(new): Replace<T>, _: &Self) {
        self.0 = new;
    }

    fn sync_with(&mut self, first: &Self) {
        self.0 = first.0.clone();
    }
}

/// Calls `look` with the configuration, through the calling thread's own
/// handle.
pub fn read<T, Found>(
    config: &ReadHandle<Side<T>>,
    look: impl FnOnce(&T) -> Found,
) -> Found {
    let side = config.enter().expect("the writer is still there");
    look(&side.0)
}

/// Replaces the configuration, and waits until no reader uses the old value.
pub fn write<T: Clone>(config: &mut WriteHandle<Side<T>, Replace<T>>, new: T) {
    config.append(Replace(new)).publish();
}
