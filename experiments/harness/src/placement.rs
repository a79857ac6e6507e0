//! On which cores a cell runs.

use host::cores::{pin_this_process, room_for_cores, usable};

/// On which of the cores that this process may use a cell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Wherever the kernel puts its threads.
    AllCores,
    /// All threads of the process on one core, the last: the first often has the
    /// machine's interrupts to serve.
    OneCore,
    /// The workload puts units that talk to each other on different cores, with
    /// [`pin_this_thread`](host::cores::pin_this_thread).
    Neighbours,
}

impl Placement {
    /// The value of the parameter `placement`.
    pub fn name(self) -> &'static str {
        match self {
            Placement::AllCores => "all cores",
            Placement::OneCore => "one core",
            Placement::Neighbours => "neighbours",
        }
    }

    /// Puts this process where it belongs, until what is returned is dropped.
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

/// A process that was pinned: it gets its cores back when this is dropped.
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
