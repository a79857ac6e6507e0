//! An event, as the kernel's tracepoints or the program's own stamps tell it.

use recordings::timeline::Doing;

/// A thread's number in the kernel; 0 is the idle thread of any core.
pub(crate) type ThreadId = i64;

/// Something that happened.
#[derive(Debug, Clone)]
pub(crate) struct KernelEvent {
    /// Nanoseconds on the clock of `Instant`.
    pub(crate) time: u64,
    /// Where; a stamp does not know.
    pub(crate) core: Option<u32>,
    pub(crate) thread: ThreadId,
    /// Whether that is one of this process.
    pub(crate) is_own: bool,
    pub(crate) kind: EventKind,
    /// Which thread is switched to, or woken.
    pub(crate) other: ThreadId,
    /// What a thread does that a switch takes off its core; nothing if it has ended.
    pub(crate) then: Option<Doing>,
}

/// What happened, on the event's core and thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// The thread enters a system call.
    Enter(&'static str),
    /// It returns from one.
    Exit(&'static str),
    /// The program says that it has come so far.
    Stamp(&'static str),
    /// The core goes from the thread to another one.
    Switch,
    /// The thread wakes another, or starts a new one.
    Waking,
    /// Something that a kernel or a processor may not tell; a recording does without it then.
    Incident {
        name: &'static str,
        tracepoint: &'static str,
        /// Whether it is the core's, whichever thread it runs.
        is_of_core: bool,
    },
}

/// The thread sends an interrupt to another core.
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

/// What is recorded besides system calls.
pub(crate) const ALL_KINDS: [EventKind; 6] = [
    EventKind::Switch,
    EventKind::Waking,
    INTERRUPT_SENT,
    // Another core asks this one to choose a thread anew.
    EventKind::Incident {
        name: "interrupt taken",
        tracepoint: "irq_vectors/reschedule_entry",
        is_of_core: true,
    },
    TIMER_INTERRUPT,
    // The thread touches a page that has to be put there first.
    EventKind::Incident {
        name: "page fault",
        tracepoint: "exceptions/page_fault_user",
        is_of_core: false,
    },
];

impl EventKind {
    /// Whether it counts whosever it is: it says what a core does.
    pub(crate) fn is_of_all(self) -> bool {
        use EventKind::{Incident, Switch, Waking};
        matches!(self, Switch | Waking | Incident { is_of_core: true, .. })
    }
}

/// Events as tests write them, a line each: the time, the core, the thread, which is ours from 11 on, and what
/// happened. Who is preempted, asleep or ended leaves the core to a thread.
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
