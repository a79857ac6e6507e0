//! The cores on which a cell runs.

use host::cores::{pin_this_process, room_for_cores, usable};

/// The cores on which a cell runs, among those that this process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// All cores: the kernel places the threads.
    AllCores,
    /// All threads of the process on one core, the last one, since the first
    /// often handles the machine's interrupts.
    OneCore,
    /// The workload puts communicating units on different cores, with
    /// [`pin_this_thread`](host::cores::pin_this_thread).
    Neighbours,
}

impl Placement {
    /// Returns the value of the parameter `placement`.
    pub fn name(self) -> &'static str {
        match self {
            Placement::AllCores => "all cores",
            Placement::OneCore => "one core",
            Placement::Neighbours => "neighbours",
        }
    }

    /// Puts this process on these cores until the result is dropped.
    pub(crate) fn take(self) -> Result<Option<Pinned>, String> {
        let cores = usable()?;
        match self {
            Placement::AllCores => Ok(None),
            Placement::OneCore => {
                let last = cores[cores.len() - 1];
                pin_this_process(&[last])?;
                Ok(Some(Pinned { before: cores }))
            }
            Placement::Neighbours => room_for_cores(2).map(|()| None),
        }
    }
}

/// A process that was pinned. Dropping this gives it its cores back.
pub(crate) struct Pinned {
    before: Vec<usize>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Err(reason) = pin_this_process(&self.before) {
            // The next visit would be measured on the wrong cores.
            panic!("the process could not have its cores back: {reason}");
        }
    }
}
