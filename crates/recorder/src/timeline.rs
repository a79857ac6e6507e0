//! What cores and threads did during one operation, put together from the events of a batch.

use std::collections::BTreeMap;

use recordings::timeline::{Doing, Incident, LaneOf, Span, Timeline, Wake};

use super::operations::FoundOperation;
use super::event::{Happening, KernelEvent, Leaves, ThreadId};

/// The timeline of an operation, in the events of its batch, which begin before it. Its parties are
/// called so; further threads of the process that have a part in it are `thread 3` and so on.
pub(super) fn timeline(
    events: &[KernelEvent],
    operation: &FoundOperation,
    parties: &[String; 2],
) -> Timeline {
    let (from, to) = (operation.began, operation.began + operation.length());
    let mut units = vec![operation.waker];
    units.extend(operation.woken);
    let inside = |event: &&KernelEvent| (from..=to).contains(&event.time);
    for event in events.iter().filter(inside).filter(|event| event.is_own) {
        if !units.contains(&event.thread) {
            units.push(event.thread);
        }
    }
    let mut cores: Vec<u32> = Vec::new();
    for event in events.iter().filter(inside) {
        let own = event.is_own || runs_own(event, &units);
        cores.extend(event.core.filter(|core| own && !cores.contains(core)));
    }
    cores.sort_unstable();
    let mut history = History {
        from,
        to,
        spans: Vec::new(),
        open: BTreeMap::new(),
        calls: BTreeMap::new(),
    };
    let (mut wakes, mut incidents) = (Vec::new(), Vec::new());
    let unit = |thread: ThreadId| units.iter().position(|&unit| unit == thread);
    for event in events {
        let KernelEvent { time, thread, what, .. } = *event;
        let (by, core) = (
            unit(thread),
            cores.iter().position(|&core| Some(core) == event.core),
        );
        let is_inside = (from..=to).contains(&time);
        let mut incident = |name: &str, of: Option<LaneOf>| {
            if let (true, Some(of)) = (is_inside, of) {
                incidents.push(Incident {
                    at: time - from,
                    of,
                    name: name.to_owned(),
                });
            }
        };
        match what {
            Happening::Enter(call) => {
                history.call(by, thread, Some(call), time)
            }
            Happening::Exit(_) => history.call(by, thread, None, time),
            Happening::Switch { next, leaves } => {
                if let Some(by) = by.map(LaneOf::Unit) {
                    match leaves {
                        Leaves::Runnable => {
                            history.begin(by, Doing::Runnable, time);
                        }
                        Leaves::Asleep => {
                            history.begin(by, Doing::Asleep, time);
                        }
                        Leaves::Ended => history.end(by, time),
                    }
                }
                let runs = unit(next);
                if let Some(next_unit) = runs {
                    history.begin(
                        LaneOf::Unit(next_unit),
                        history.running(next),
                        time,
                    );
                }
                if let Some(core) = core {
                    let doing = match (runs, next) {
                        (Some(unit), _) => Doing::Runs(unit),
                        (None, 0) => Doing::Idle,
                        (None, _) => Doing::Other,
                    };
                    history.begin(LaneOf::Core(core), doing, time);
                }
            }
            Happening::Waking(other) => {
                if let Some(woken) = unit(other) {
                    history.begin(LaneOf::Unit(woken), Doing::Runnable, time);
                    if let (true, Some(by)) = (is_inside, by) {
                        wakes.push(Wake { at: time - from, by, woken });
                    }
                }
            }
            Happening::InterruptSent => {
                incident("interrupt sent", by.map(LaneOf::Unit))
            }
            Happening::InterruptTaken => {
                incident("interrupt taken", core.map(LaneOf::Core))
            }
            Happening::TimerInterrupt => {
                incident("timer interrupt", core.map(LaneOf::Core))
            }
            Happening::PageFault => {
                incident("page fault", by.map(LaneOf::Unit))
            }
            Happening::Stamp(name) => incident(name, by.map(LaneOf::Unit)),
        }
        // Whoever does something is there, also if it was switched to before the recording began, or unseen.
        if let (Some(by), true) = (by, event.is_own) {
            history.is_running(by, core, thread, &what, time);
        }
    }
    let name = |place: usize| match parties.get(place) {
        Some(name) => name.clone(),
        None => format!("thread {}", place + 1),
    };
    Timeline {
        length: to - from,
        steps: operation.steps.iter().map(|(_, took)| *took).collect(),
        units: (0..units.len()).map(name).collect(),
        cores,
        spans: history.finish(),
        wakes,
        incidents,
    }
}

/// Whether a core goes to one of these threads, or leaves it.
fn runs_own(event: &KernelEvent, units: &[ThreadId]) -> bool {
    match event.what {
        Happening::Switch { next, .. } => {
            units.contains(&next) || units.contains(&event.thread)
        }
        _ => false,
    }
}

/// Spans while they are put together.
struct History {
    from: u64,
    to: u64,
    spans: Vec<Span>,
    /// What each lane does, and since when.
    open: BTreeMap<LaneOf, (Doing, u64)>,
    /// The system call in which a thread is, also while it sleeps there.
    calls: BTreeMap<ThreadId, &'static str>,
}

impl History {
    /// What a thread does that runs.
    fn running(&self, thread: ThreadId) -> Doing {
        self.calls
            .get(&thread)
            .map_or(Doing::User, |call| Doing::Call((*call).to_owned()))
    }

    fn call(
        &mut self,
        unit: Option<usize>,
        thread: ThreadId,
        call: Option<&'static str>,
        time: u64,
    ) {
        match call {
            Some(call) => self.calls.insert(thread, call),
            None => self.calls.remove(&thread),
        };
        if let Some(unit) = unit {
            self.begin(LaneOf::Unit(unit), self.running(thread), time);
        }
    }

    /// Takes up that a unit runs which was not seen to be switched to.
    fn is_running(
        &mut self,
        unit: usize,
        core: Option<usize>,
        thread: ThreadId,
        what: &Happening,
        time: u64,
    ) {
        if matches!(what, Happening::Switch { .. }) {
            return;
        }
        let waits = match self.open.get(&LaneOf::Unit(unit)) {
            None => true,
            // A stamp knows no core, and may be of what is due later.
            Some((doing, _)) => {
                core.is_some()
                    && matches!(doing, Doing::Runnable | Doing::Asleep)
            }
        };
        if waits {
            self.begin(LaneOf::Unit(unit), self.running(thread), time);
        }
        if let Some(core) = core {
            self.begin(LaneOf::Core(core), Doing::Runs(unit), time);
        }
    }

    fn begin(&mut self, lane: LaneOf, doing: Doing, time: u64) {
        if self.open.get(&lane).is_some_and(|(before, _)| *before == doing) {
            return;
        }
        if let Some((before, since)) = self.open.insert(lane, (doing, time)) {
            self.close(lane, before, since, time);
        }
    }

    fn end(&mut self, lane: LaneOf, time: u64) {
        if let Some((before, since)) = self.open.remove(&lane) {
            self.close(lane, before, since, time);
        }
    }

    /// Keeps of a span what lies in the operation.
    fn close(&mut self, of: LaneOf, doing: Doing, since: u64, until: u64) {
        let (from, to) = (since.max(self.from), until.min(self.to));
        if from < to {
            self.spans.push(Span {
                of,
                from: from - self.from,
                to: to - self.from,
                doing,
            });
        }
    }

    fn finish(mut self) -> Vec<Span> {
        for (lane, (doing, since)) in std::mem::take(&mut self.open) {
            self.close(lane, doing, since, self.to);
        }
        self.spans.sort_by_key(|span| (span.of, span.from));
        self.spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hop_is_told_by_core_and_by_unit() {
        let event = |time, core, thread, what| {
            let core = Some(core);
            KernelEvent { time, core, thread, is_own: thread > 0, what }
        };
        let events = [
            event(10, 0, 11, Happening::Enter("read")),
            event(12, 1, 12, Happening::Enter("read")),
            event(
                15,
                1,
                12,
                Happening::Switch { next: 0, leaves: Leaves::Asleep },
            ),
            event(20, 0, 11, Happening::Exit("read")),
            event(100, 0, 11, Happening::Enter("write")),
            event(107, 0, 11, Happening::Waking(12)),
            event(112, 0, 11, Happening::InterruptSent),
            event(120, 1, 0, Happening::InterruptTaken),
            event(
                131,
                1,
                0,
                Happening::Switch { next: 12, leaves: Leaves::Runnable },
            ),
            event(140, 1, 12, Happening::Exit("read")),
            event(170, 0, 11, Happening::Exit("write")),
        ];
        let operation = FoundOperation {
            began: 100,
            steps: vec![(0, 7), (1, 24), (2, 9)],
            events: 6,
            waker: 11,
            woken: Some(12),
        };
        let names = ["writer".to_owned(), "reader".to_owned()];
        let told = timeline(&events, &operation, &names);
        let of = |lane| -> Vec<(u64, u64, Doing)> {
            told.of_lane(lane)
                .map(|span| (span.from, span.to, span.doing.clone()))
                .collect()
        };
        let read = || Doing::Call("read".to_owned());
        assert_eq!(
            of(LaneOf::Unit(0)),
            [(0, 40, Doing::Call("write".to_owned()))]
        );
        let reader =
            [(0, 7, Doing::Asleep), (7, 31, Doing::Runnable), (31, 40, read())];
        assert_eq!(of(LaneOf::Unit(1)), reader);
        assert_eq!(of(LaneOf::Core(0)), [(0, 40, Doing::Runs(0))]);
        assert_eq!(
            of(LaneOf::Core(1)),
            [(0, 31, Doing::Idle), (31, 40, Doing::Runs(1))]
        );
        assert_eq!(told.wakes, [Wake { at: 7, by: 0, woken: 1 }]);
        assert_eq!(told.incidents.len(), 2);
        assert_eq!(told.length, told.steps.iter().sum::<u64>());
    }
    #[test]
    fn a_thread_begins_when_it_is_woken_first_and_ends_with_its_exit() {
        let event = |time, core, thread, what| {
            let core = Some(core);
            KernelEvent { time, core, thread, is_own: thread > 0, what }
        };
        let switch = |next, leaves| Happening::Switch { next, leaves };
        let events = [
            event(100, 0, 11, Happening::Enter("clone3")),
            event(120, 0, 11, Happening::Waking(12)),
            event(130, 1, 0, switch(12, Leaves::Runnable)),
            event(140, 1, 12, Happening::PageFault),
            event(150, 1, 12, Happening::Enter("exit")),
            event(160, 1, 12, switch(0, Leaves::Ended)),
            event(161, 1, 0, Happening::TimerInterrupt),
            event(170, 0, 11, Happening::Exit("clone3")),
        ];
        let operation = FoundOperation {
            began: 100,
            steps: vec![(0, 70)],
            events: 8,
            waker: 11,
            woken: Some(12),
        };
        let names = ["parent".to_owned(), "child".to_owned()];
        let told = timeline(&events, &operation, &names);
        let child = told.of_lane(LaneOf::Unit(1));
        let child: Vec<_> =
            child.map(|span| (span.from, span.to, &span.doing)).collect();
        let exit = Doing::Call("exit".to_owned());
        let expected = [
            (20, 30, &Doing::Runnable),
            (30, 50, &Doing::User),
            (50, 60, &exit),
        ];
        assert_eq!(child, expected);
        let incidents = told.incidents.iter().map(|of| of.name.as_str());
        let incidents: Vec<_> = incidents.collect();
        assert_eq!(incidents, ["page fault", "timer interrupt"]);
    }

    #[test]
    fn who_does_something_runs_also_if_nobody_saw_it_come() {
        let event = |time, what| {
            let core = Some(1);
            KernelEvent { time, core, thread: 12, is_own: true, what }
        };
        let sleeps = Happening::Switch { next: 0, leaves: Leaves::Asleep };
        let events = [
            event(100, Happening::Enter("write")),
            event(110, sleeps),
            event(150, Happening::Exit("write")),
            event(170, Happening::Enter("write")),
        ];
        let operation = FoundOperation {
            began: 100,
            steps: vec![(0, 70)],
            events: 4,
            waker: 12,
            woken: None,
        };
        let names = ["writer".to_owned(), "reader".to_owned()];
        let told = timeline(&events, &operation, &names);
        let core = told
            .of_lane(LaneOf::Core(0))
            .map(|span| (span.from, span.to, &span.doing));
        let runs = &Doing::Runs(0);
        let expected = [(0, 10, runs), (10, 50, &Doing::Idle), (50, 70, runs)];
        assert!(core.eq(expected));
    }
}
