//! The kernel's tracepoints, recorded by `perf_event_open` on the clock of `Instant`.
//!
//! A tracepoint is recorded on each core, for all processes, to see what a core does while it
//! doesn't run one of our threads. Events of other processes are dropped unless they show what a
//! core does.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::process;

use host::cores::usable;
use perf_event::data::Record;
use perf_event::events::Tracepoint;
use perf_event::{Builder, Clock, ReadFormat, SampleFlag, Sampler};
use recordings::timeline::Doing;

use crate::event::{EventKind, KernelEvent, ThreadId};
use crate::{stamp, tracefs};

/// The size of the kernel's buffer per tracepoint and core, in bytes.
const BUFFER: usize = 1 << 20;

/// The position of the thread's id within an event. It is the same for all tracepoints.
const COMMON_PID: Range<usize> = 4..8;

/// Open tracepoints. Dropping them ends the recording.
pub(crate) struct Tracepoints(Vec<OpenTracepoint>);

/// A tracepoint that is open on a core, with the positions of the fields that we read from its
/// events.
struct OpenTracepoint {
    kind: EventKind,
    fields: Vec<Range<usize>>,
    sampler: Sampler,
}

/// Returns the tracepoints that report events of the given kind: their names in tracefs, and the
/// fields to read from their events.
fn sources(kind: EventKind) -> Vec<(String, &'static [&'static str])> {
    match kind {
        EventKind::Enter(call) => vec![(format!("syscalls/sys_enter_{call}"), &[])],
        EventKind::Exit(call) => vec![(format!("syscalls/sys_exit_{call}"), &[])],
        EventKind::Stamp(_) => Vec::new(),
        EventKind::Switch => vec![("sched/sched_switch".to_owned(), &["next_pid", "prev_state"])],
        // The kernel has one tracepoint for waking a new thread, and another for waking a
        // sleeping one.
        EventKind::Waking => ["sched/sched_wakeup_new", "sched/sched_waking"]
            .map(|name| (name.to_owned(), ["pid"].as_slice()))
            .into(),
        EventKind::Incident { tracepoint, .. } => vec![(tracepoint.to_owned(), &[])],
    }
}

impl Tracepoints {
    /// Opens the tracepoints for `kinds` on each core that this process may use. Nothing is
    /// recorded yet.
    pub(crate) fn open(kinds: impl IntoIterator<Item = EventKind>) -> Result<Tracepoints, String> {
        let mut opened = Vec::new();
        let kinds = kinds.into_iter();
        let named = kinds.flat_map(|kind| sources(kind).into_iter().map(move |of| (kind, of)));
        for (kind, (name, fields)) in named {
            let may_be_missing = matches!(kind, EventKind::Incident { .. });
            let description = match tracefs::read(&name, "format") {
                Some(description) => description,
                None if !tracefs::is_mounted() => {
                    return Err("the kernel's tracepoints cannot be read: as root, \
                                mount -t tracefs none /sys/kernel/tracing"
                        .to_owned());
                }
                None if may_be_missing => continue,
                None => return Err(format!("this kernel has no tracepoint {name}")),
            };
            let places = fields.iter().map(|field| place(&description, field));
            let places = places.collect::<Option<Vec<_>>>().ok_or_else(|| {
                format!("the kernel's tracepoint {name} has not the fields {fields:?}")
            })?;
            let id = number_behind(&description, "ID:")
                .ok_or_else(|| format!("the kernel's tracepoint {name} has no number"))?;
            for core in usable()? {
                let sampler = sampler(id as u64, core).map_err(|error| {
                    format!(
                        "the kernel does not let this user record {name} ({error}): record as root, \
                         or sudo sysctl kernel.perf_event_paranoid=-1"
                    )
                })?;
                opened.push(OpenTracepoint { kind, fields: places.clone(), sampler });
            }
        }
        Ok(Tracepoints(opened))
    }

    /// Runs `run`, and returns the events that happened meanwhile, sorted by time.
    pub(crate) fn during<T>(
        &mut self,
        run: impl FnOnce() -> Result<T, String>,
    ) -> Result<Vec<KernelEvent>, String> {
        self.each(|of| of.enable(), "begin")?;
        stamp::switch(true);
        let returned = run();
        stamp::switch(false);
        self.each(|of| of.disable(), "stop")?;
        returned?;
        self.events()
    }

    fn each(
        &mut self,
        does: impl Fn(&mut Sampler) -> io::Result<()>,
        what: &str,
    ) -> Result<(), String> {
        let mut all = self.0.iter_mut();
        all.try_for_each(|of| does(&mut of.sampler))
            .map_err(|error| format!("the kernel does not {what} to record: {error}"))
    }

    fn events(&mut self) -> Result<Vec<KernelEvent>, String> {
        let mut events = Vec::new();
        // The kernel's ids of the threads that took timestamps. Within this
        // process's namespace, their ids may be different.
        let mut threads: HashMap<u32, ThreadId> = HashMap::new();
        let mut lost = 0;
        for OpenTracepoint { kind, fields, sampler } in &mut self.0 {
            // The kernel reports a loss of events only with the next event, which may never come.
            // So we read its counter.
            let counted = sampler.read_full().map_err(|error| {
                format!("the kernel does not say how many events were lost: {error}")
            })?;
            lost += counted.lost().unwrap_or(0);
            while let Some(record) = sampler.next_record() {
                let record = record.parse_record();
                let sample =
                    match record.map_err(|error| format!("an event cannot be read: {error}"))? {
                        Record::Sample(sample) => sample,
                        Record::Lost(record) => {
                            lost += record.lost;
                            continue;
                        }
                        _ => continue,
                    };
                let raw = sample.raw().unwrap_or_default();
                let (Some(time), Some(core), Some(thread)) =
                    (sample.time(), sample.cpu(), number(raw, COMMON_PID))
                else {
                    return Err("an event has no time, core and thread".to_owned());
                };
                let is_own = sample.pid() == Some(process::id());
                threads.extend(sample.tid().filter(|_| is_own).map(|id| (id, thread)));
                let mut fields = fields.iter().map(|of| number(raw, of.clone()).unwrap_or(0));
                if is_own || kind.is_of_all() {
                    events.push(KernelEvent {
                        time,
                        core: Some(core),
                        thread,
                        is_own,
                        kind: *kind,
                        other: fields.next().unwrap_or(0),
                        then: fields.next().and_then(then),
                    });
                }
            }
        }
        if lost > 0 {
            return Err(format!(
                "the kernel's buffer was full and {lost} events were lost: record fewer operations \
                 at a time, with RecordingPlan::in_batches_of"
            ));
        }
        events.extend(stamp::take().into_iter().map(|stamp::Stamp { time, thread, name }| {
            let known = threads.get(&thread.unsigned_abs());
            KernelEvent {
                time,
                core: None,
                thread: known.copied().unwrap_or(thread.into()),
                is_own: true,
                kind: EventKind::Stamp(name),
                other: 0,
                then: None,
            }
        }));
        events.sort_by_key(|event| event.time);
        Ok(events)
    }
}

/// Returns what a thread does after it has left its core in this `state`, given as the kernel's
/// bits: it can still run if no bit is set, it has ended if one of two bits is set, and it sleeps
/// otherwise.
fn then(state: i64) -> Option<Doing> {
    const ENDED: i64 = 0x30;
    const ANY: i64 = 0xff;
    match state & ANY {
        0 => Some(Doing::Runnable),
        state if state & ENDED != 0 => None,
        _ => Some(Doing::Asleep),
    }
}

/// Creates a recorder for a tracepoint on a core. Counting lost events requires Linux 6.0.
fn sampler(id: u64, core: usize) -> io::Result<Sampler> {
    let mut builder = Builder::new(Tracepoint::with_id(id));
    builder
        .any_pid()
        .one_cpu(core)
        .include_kernel()
        .sample_period(1)
        .sample(SampleFlag::TID | SampleFlag::TIME | SampleFlag::CPU | SampleFlag::RAW)
        .clockid(Clock::MONOTONIC);
    let counting = builder.read_format(ReadFormat::LOST).build();
    counting.or_else(|_| builder.read_format(ReadFormat::empty()).build())?.sampled(BUFFER)
}

/// Returns the position of the field `name` in an event. `description` has lines such as
/// `field:pid_t next_pid; offset:56; size:4; signed:1;`.
fn place(description: &str, name: &str) -> Option<Range<usize>> {
    let is_it = |line: &&str| {
        let declared = line.trim().strip_prefix("field:").and_then(|line| line.split(';').next());
        declared.and_then(|declared| declared.split_whitespace().last()) == Some(name)
    };
    let line = description.lines().find(is_it)?;
    let offset = number_behind(line, "offset:")?;
    Some(offset..offset + number_behind(line, "size:")?)
}

fn number_behind(text: &str, key: &str) -> Option<usize> {
    let behind = text.split(key).nth(1)?.trim_start();
    behind.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Reads a number from the bytes at `place` in an event, in the machine's byte order.
fn number(raw: &[u8], place: Range<usize>) -> Option<i64> {
    let bytes = raw.get(place)?;
    let of_eight = || bytes.try_into().ok().map(i64::from_ne_bytes);
    bytes.try_into().ok().map(|four| i32::from_ne_bytes(four).into()).or_else(of_eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_name() {
        let text = "name: sched_switch\nID: 372\nformat:\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
                    \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";
        assert_eq!(number_behind(text, "ID:"), Some(372));
        assert_eq!(place(text, "next_pid"), Some(56..60));
        assert_eq!(place(text, "pid"), None);
    }
}
