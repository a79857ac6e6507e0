//! An event, as the kernel's tracepoints or the program's own stamps tell it.

/// A thread's number in the kernel; 0 is the idle thread of any core.
pub(super) type ThreadId = i64;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KernelEvent {
    /// Nanoseconds on the clock of `Instant`.
    pub(super) time: u64,
    /// Where; a stamp does not know.
    pub(super) core: Option<u32>,
    /// On which thread.
    pub(super) thread: ThreadId,
    /// Whether that is one of this process.
    pub(super) is_own: bool,
    /// What.
    pub(super) what: Happening,
}

/// What happened, on the event's core and thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happening {
    /// The thread enters a system call.
    Enter(&'static str),
    /// It returns from one.
    Exit(&'static str),
    /// The core goes from the thread to the next one.
    Switch { next: ThreadId, leaves: Leaves },
    /// It wakes another, or starts a new one.
    Waking(ThreadId),
    /// It sends an interrupt to another core.
    InterruptSent,
    /// The core takes an interrupt by which another one asks it to choose a thread anew.
    InterruptTaken,
    /// The core takes an interrupt of its timer.
    TimerInterrupt,
    /// The thread touches a page that has to be put there first.
    PageFault,
    /// The program says that it has come so far.
    Stamp(&'static str),
}

/// As what a thread leaves its core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// It could go on.
    Runnable,
    /// It waits for something.
    Asleep,
    /// It is over.
    Ended,
}
