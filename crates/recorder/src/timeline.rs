//! Creates a timeline from the events of a batch. It shows the cores and threads during one
//! operation.

use std::collections::{BTreeMap, HashMap};

use recordings::timeline::{Doing, Incident, LaneOf, Span, Timeline, Wake};

use crate::event::{EventKind, KernelEvent, ThreadId};
use crate::operations::FoundOperation;

/// Returns the timeline of an operation. `events` are those of the whole batch, which begin
/// before the operation. `parties` names the operation's two threads; other threads of the
/// process that take part are called `thread 3` and so on.
pub(crate) fn timeline(
    events: &[KernelEvent],
    operation: &FoundOperation,
    parties: &[String; 2],
) -> Timeline {
    let from = events[operation.first].time;
    let to = from + operation.length();
    let inside = |event: &KernelEvent| (from..=to).contains(&event.time);
    let mut units = vec![operation.waker];
    units.extend(operation.woken);
    for event in events.iter().filter(|event| event.is_own && inside(event)) {
        if !units.contains(&event.thread) {
            units.push(event.thread);
        }
    }
    let unit = |thread: ThreadId| units.iter().position(|&unit| unit == thread);
    let is_switch = |event: &KernelEvent| event.kind == EventKind::Switch;
    // The cores on which one of our threads starts running, stops running, or does something.
    let is_of_us = |event: &&KernelEvent| {
        let is_ours = event.is_own
            || is_switch(event) && (unit(event.thread).or(unit(event.other))).is_some();
        is_ours && inside(event)
    };
    let mut cores: Vec<u32> =
        events.iter().filter(is_of_us).filter_map(|event| event.core).collect();
    cores.sort_unstable();
    cores.dedup();
    let mut lanes = Lanes { from, to, spans: Vec::new(), open: BTreeMap::new() };
    let (mut wakes, mut incidents) = (Vec::new(), Vec::new());
    // The system call that each thread is in, even while the thread sleeps there.
    let mut calls: HashMap<ThreadId, &str> = HashMap::new();
    for event in events {
        let KernelEvent { time, thread, other, .. } = *event;
        let by = unit(thread);
        let of_unit = by.map(LaneOf::Unit);
        let core = cores.iter().position(|&core| Some(core) == event.core);
        let of_core = core.map(LaneOf::Core);
        let mut incident = |name: &str, of: Option<LaneOf>| {
            if let Some(of) = of.filter(|_| inside(event)) {
                incidents.push(Incident { at: time - from, of, name: name.to_owned() });
            }
        };
        let runs = |calls: &HashMap<_, &str>, thread: ThreadId| {
            calls.get(&thread).map_or(Doing::User, |&call| Doing::Call(call.to_owned()))
        };
        match event.kind {
            EventKind::Enter(call) => {
                calls.insert(thread, call);
            }
            EventKind::Exit(_) => {
                calls.remove(&thread);
            }
            EventKind::Stamp(name) => incident(name, of_unit),
            EventKind::Incident { name, is_of_core, .. } => {
                incident(name, if is_of_core { of_core } else { of_unit });
            }
            EventKind::Waking => {
                if let Some(woken) = unit(other) {
                    lanes.set(LaneOf::Unit(woken), Some(Doing::Runnable), time);
                    if let Some(by) = by.filter(|_| inside(event)) {
                        wakes.push(Wake { at: time - from, by, woken });
                    }
                }
            }
            EventKind::Switch => {
                let next = unit(other);
                let on_core = match next {
                    Some(next) => Doing::Runs(next),
                    None if other == 0 => Doing::Idle,
                    None => Doing::Other,
                };
                let changes = [
                    (of_unit, event.then.clone()),
                    (next.map(LaneOf::Unit), Some(runs(&calls, other))),
                    (of_core, Some(on_core)),
                ];
                for (lane, doing) in changes {
                    if let Some(lane) = lane {
                        lanes.set(lane, doing, time);
                    }
                }
                continue;
            }
        }
        // A thread that does something is running on the event's core, even if the switch to it
        // came before the recording began or was not seen. A stamp is different: it doesn't know
        // its core, and may refer to a later moment.
        if let (Some(by), Some(of_unit), true) = (by, of_unit, event.is_own) {
            if event.core.is_some() || !lanes.open.contains_key(&of_unit) {
                lanes.set(of_unit, Some(runs(&calls, thread)), time);
            }
            if let Some(of_core) = of_core {
                lanes.set(of_core, Some(Doing::Runs(by)), time);
            }
        }
    }
    for lane in lanes.open.clone().into_keys() {
        lanes.set(lane, None, to);
    }
    lanes.spans.sort_by_key(|span| (span.of, span.from));
    let further = (3..).map(|place| format!("thread {place}"));
    Timeline {
        length: to - from,
        steps: operation.steps.iter().map(|(_, took)| *took).collect(),
        units: parties.iter().cloned().chain(further).take(units.len()).collect(),
        cores,
        spans: lanes.spans,
        wakes,
        incidents,
    }
}

/// The activities of cores and threads, while the timeline is being created.
struct Lanes {
    from: u64,
    to: u64,
    spans: Vec<Span>,
    /// For each core or thread, the current activity and its start.
    open: BTreeMap<LaneOf, (Doing, u64)>,
}

impl Lanes {
    /// Sets the activity of a core or thread from `time` on. `None` means that it does nothing.
    /// The previous activity ends and is stored, clipped to the operation.
    fn set(&mut self, of: LaneOf, doing: Option<Doing>, time: u64) {
        let before = self.open.get(&of);
        if before.map(|(doing, _)| doing) == doing.as_ref() {
            return;
        }
        if let Some((before, since)) = self.open.remove(&of) {
            let (from, to) = (since.max(self.from), time.min(self.to));
            if from < to {
                let (from, to) = (from - self.from, to - self.from);
                self.spans.push(Span { of, from, to, doing: before });
            }
        }
        self.open.extend(doing.map(|doing| (of, (doing, time))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::events;

    /// Returns the timeline of all events from time 100 to the last one, as an operation with a
    /// single step.
    fn told(text: &'static str, woken: Option<ThreadId>) -> Timeline {
        let events = events(text);
        let first = events.iter().position(|event| event.time == 100).unwrap();
        let last = events.len() - 1;
        let steps = vec![(1, events[last].time - 100)];
        let waker = events[first].thread;
        let operation = FoundOperation { first, last, steps, waker, woken };
        timeline(&events, &operation, &["writer".to_owned(), "reader".to_owned()])
    }

    fn spans(timeline: &Timeline, of: LaneOf) -> Vec<(u64, u64, Doing)> {
        let spans = timeline.of_lane(of);
        spans.map(|span| (span.from, span.to, span.doing.clone())).collect()
    }

    #[test]
    fn a_hop_is_told_by_core_and_by_unit() {
        let told = told(
            "10 0 11 enters read
             12 1 12 enters read
             15 1 12 asleep 0
             20 0 11 returns read
             100 0 11 enters write
             107 0 11 wakes 12
             112 0 11 interrupt sent
             120 1 0 interrupt taken
             131 1 0 preempted 12
             140 1 12 returns read",
            Some(12),
        );
        let call = |name: &str| Doing::Call(name.to_owned());
        assert_eq!(spans(&told, LaneOf::Unit(0)), [(0, 40, call("write"))]);
        let reader = [(0, 7, Doing::Asleep), (7, 31, Doing::Runnable), (31, 40, call("read"))];
        assert_eq!(spans(&told, LaneOf::Unit(1)), reader);
        assert_eq!(spans(&told, LaneOf::Core(0)), [(0, 40, Doing::Runs(0))]);
        let core = [(0, 31, Doing::Idle), (31, 40, Doing::Runs(1))];
        assert_eq!(spans(&told, LaneOf::Core(1)), core);
        assert_eq!(told.wakes, [Wake { at: 7, by: 0, woken: 1 }]);
        assert_eq!((told.units.len(), told.incidents.len(), told.length), (2, 2, 40));
    }

    #[test]
    fn who_does_something_runs_also_if_nobody_saw_it_come() {
        let told = told(
            "100 1 12 enters write
             110 1 12 asleep 0
             150 1 12 returns write
             170 1 12 enters write",
            None,
        );
        let core = [(0, 10, Doing::Runs(0)), (10, 50, Doing::Idle), (50, 70, Doing::Runs(0))];
        assert_eq!(spans(&told, LaneOf::Core(0)), core);
    }
}
