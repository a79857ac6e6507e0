//! The cores on which a benchmark runs.

use host::cores::{pin_this_process, room_for_cores, usable};

/// The cores on which a benchmark runs, out of those that this process may
/// use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// All cores. The kernel places the threads.
    AllCores,
    /// The last core, for all threads of the process. The first core often
    /// handles the machine's interrupts.
    OneCore,
    /// All cores. The workload places threads or tasks that communicate on
    /// different cores, with
    /// [`pin_this_thread`](host::cores::pin_this_thread).
    Neighbours,
}

impl Placement {
    /// Returns the value of the parameter `placement` for this choice.
    pub fn name(self) -> &'static str {
        match self {
            Placement::AllCores => "all cores",
            Placement::OneCore => "one core",
            Placement::Neighbours => "neighbours",
        }
    }

    /// Pins this process to the chosen cores until the result is dropped.
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

/// A process pinned to one core. Dropping this value gives the process its
/// other cores back.
pub(crate) struct Pinned {
    before: Vec<usize>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Err(reason) = pin_this_process(&self.before) {
            // Panics, because the next benchmark would otherwise run on the
            // wrong cores.
            panic!("the process could not have its cores back: {reason}");
        }
    }
}
