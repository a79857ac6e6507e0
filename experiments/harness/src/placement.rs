//! On which cores a cell runs.

/// On which of the cores that this process may use a cell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Wherever the kernel puts its threads.
    AllCores,
    /// All threads of the process on one core, the last: the first often has the
    /// machine's interrupts to serve.
    OneCore,
    /// The workload puts units that talk to each other on different cores, with
    /// [`pin_this_thread`].
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
    ///
    /// # Errors
    ///
    /// If that is not possible here, with the reason.
    pub(crate) fn take(self) -> Result<Option<Pinned>, String> {
        let cores = cores()?;
        match self {
            Placement::AllCores => Ok(None),
            Placement::OneCore => {
                let last = cores[cores.len() - 1];
                platform::pin_process(&[last])?;
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
        if let Err(reason) = platform::pin_process(&self.before) {
            // The next visit would be measured on the wrong cores.
            panic!("the process could not have its cores back: {reason}");
        }
    }
}

/// Whether this process may use so many cores, for threads that
/// [`pin_this_thread`] is to put on different ones.
///
/// # Errors
///
/// If it may not, with how many it needs and how many there are; or if threads
/// cannot be pinned here.
pub fn room_for_cores(needed: usize) -> Result<(), String> {
    platform::can_pin()?;
    let allowed = cores()?.len();
    match allowed < needed {
        true => Err(format!(
            "{needed} cores are needed, and this process may use {allowed}"
        )),
        false => Ok(()),
    }
}

/// Pins the calling thread to one of the cores that this process may use, by
/// its place among them; counting starts anew after the last.
///
/// # Errors
///
/// If threads cannot be pinned here, with the reason.
pub fn pin_this_thread(place: usize) -> Result<(), String> {
    let cores = cores()?;
    platform::pin_thread(cores[place % cores.len()])
}

/// The cores that this process may use, as it was started.
pub(crate) fn cores() -> Result<Vec<usize>, String> {
    use std::sync::OnceLock;
    static CORES: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    CORES.get_or_init(platform::cores).clone()
}

#[cfg(target_os = "linux")]
mod platform {
    use nix::errno::Errno;
    use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
    use nix::unistd::Pid;

    /// The calling thread, to the kernel.
    const THIS_THREAD: Pid = Pid::from_raw(0);

    pub(super) fn cores() -> Result<Vec<usize>, String> {
        let set = sched_getaffinity(THIS_THREAD)
            .map_err(|error| format!("the cores are not known: {error}"))?;
        let is_set = |&core: &usize| set.is_set(core).unwrap_or(false);
        Ok((0..CpuSet::count()).filter(is_set).collect())
    }

    pub(super) fn can_pin() -> Result<(), String> {
        Ok(())
    }

    fn set(thread: Pid, cores: &[usize]) -> Result<(), Errno> {
        let mut set = CpuSet::new();
        for &core in cores {
            set.set(core)?;
        }
        sched_setaffinity(thread, &set)
    }

    fn refused(error: Errno) -> String {
        format!("threads cannot be pinned here: {error}")
    }

    pub(super) fn pin_thread(core: usize) -> Result<(), String> {
        set(THIS_THREAD, &[core]).map_err(refused)
    }

    /// Every thread that there is; those to come inherit it.
    pub(super) fn pin_process(cores: &[usize]) -> Result<(), String> {
        let threads = std::fs::read_dir("/proc/self/task")
            .map_err(|error| format!("/proc/self/task: {error}"))?;
        for thread in threads.flatten() {
            let name = thread.file_name();
            let Some(id) = name.to_str().and_then(|id| id.parse().ok()) else {
                continue;
            };
            match set(Pid::from_raw(id), cores) {
                // It has ended meanwhile.
                Err(Errno::ESRCH) => {}
                result => result.map_err(refused)?,
            }
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    const REASON: &str = "threads are pinned on Linux only";

    pub(super) fn cores() -> Result<Vec<usize>, String> {
        Ok((0..std::thread::available_parallelism().map_or(1, usize::from))
            .collect())
    }

    pub(super) fn can_pin() -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(super) fn pin_thread(_core: usize) -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(super) fn pin_process(_cores: &[usize]) -> Result<(), String> {
        Err(REASON.to_owned())
    }
}
