//! An event that was recorded by a kernel tracepoint or by a stamp. A stamp is a timestamp that
//! the program itself takes.

use recordings::timeline::Doing;

/// The kernel's id of a thread; 0 is the idle thread of any core.
pub(crate) type ThreadId = i64;

#[derive(Debug, Clone)]
pub(crate) struct KernelEvent {
    /// The time in nanoseconds, on the clock of `Instant`.
    pub(crate) time: u64,
    /// The core on which the event happened; `None` for a timestamp of the program.
    pub(crate) core: Option<u32>,
    pub(crate) thread: ThreadId,
    pub(crate) is_own: bool,
    pub(crate) kind: EventKind,
    /// The thread that the core switches to, or that is woken; 0 for other events.
    pub(crate) other: ThreadId,
    /// The next activity of the thread that a switch takes off its core; `None` if the thread has
    /// ended.
    pub(crate) then: Option<Doing>,
}

/// The kind of an event: what its thread does, or what happens on its core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    Enter(&'static str),
    Exit(&'static str),
    /// The program takes the timestamp with this name.
    Stamp(&'static str),
    Switch,
    /// The thread wakes another thread, or starts a new one.
    Waking,
    /// An event that some kernels or processors don't report. Recordings work without it.
    Incident {
        name: &'static str,
        tracepoint: &'static str,
        /// True if the event happens to the core, no matter which thread is running there.
        is_of_core: bool,
    },
}

pub(crate) const INTERRUPT_SENT: EventKind = EventKind::Incident {
    name: "interrupt sent",
    tracepoint: "ipi/ipi_send_cpu",
    is_of_core: false,
};

pub(crate) const TIMER_INTERRUPT: EventKind = EventKind::Incident {
    name: "timer interrupt",
    tracepoint: "irq_vectors/local_timer_entry",
    is_of_core: true,
};

/// All kinds of events that are recorded in addition to system calls.
pub(crate) const ALL_KINDS: [EventKind; 6] = [
    EventKind::Switch,
    EventKind::Waking,
    INTERRUPT_SENT,
    // Another core asks this one to run its scheduler.
    EventKind::Incident {
        name: "interrupt taken",
        tracepoint: "irq_vectors/reschedule_entry",
        is_of_core: true,
    },
    TIMER_INTERRUPT,
    // The thread touches a page that is not mapped yet.
    EventKind::Incident {
        name: "page fault",
        tracepoint: "exceptions/page_fault_user",
        is_of_core: false,
    },
];

impl EventKind {
    /// Returns whether the event is kept for threads of all processes, because it shows what a
    /// core does.
    pub(crate) fn is_of_all(self) -> bool {
        use EventKind::{Incident, Switch, Waking};
        matches!(self, Switch | Waking | Incident { is_of_core: true, .. })
    }
}

/// Parses a test's events, one per line: the time, the core, the thread (11 and above are ours),
/// and what happens. `preempted 12`, `asleep 12` and `ended 12` mean that the event's thread
/// leaves the core to thread 12.
#[cfg(test)]
pub(crate) fn events(text: &'static str) -> Vec<KernelEvent> {
    let event = |line: &'static str| {
        let mut words = line.trim().splitn(4, ' ');
        let mut word = || words.next().expect("four words at least");
        let (time, core, thread, what) = (word(), word(), word(), word());
        let (verb, name) = what.split_once(' ').expect("all have two words");
        let is_it =
            |kind: &EventKind| matches!(kind, EventKind::Incident { name, .. } if *name == what);
        let (kind, then) = match verb {
            "enters" => (EventKind::Enter(name), None),
            "returns" => (EventKind::Exit(name), None),
            "stamps" => (EventKind::Stamp(name), None),
            "wakes" => (EventKind::Waking, None),
            "preempted" => (EventKind::Switch, Some(Doing::Runnable)),
            "asleep" => (EventKind::Switch, Some(Doing::Asleep)),
            "ended" => (EventKind::Switch, None),
            _ => (ALL_KINDS.into_iter().find(is_it).expect("an incident"), None),
        };
        let thread = thread.parse().expect("a number");
        KernelEvent {
            time: time.parse().expect("a number"),
            core: core.parse().ok(),
            thread,
            is_own: thread > 10,
            kind,
            other: name.parse().unwrap_or(0),
            then,
        }
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(event).collect()
}
