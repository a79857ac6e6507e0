//! The kernel's tracepoints, as `perf_event_open` records them on the clock of `Instant`.
//!
//! A tracepoint is recorded on each core, for all processes: what a core does when no thread of ours
//! runs belongs to the picture. Of others' events only those stay that say that a core is busy.

#[cfg(target_os = "linux")]
pub(super) use linux::Tracepoints;
#[cfg(not(target_os = "linux"))]
pub(super) use none::Tracepoints;

use super::plan::Moment;

/// Which events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// Of scheduling, interrupts, faults and these system calls.
    All(&'a [&'static str]),
    /// Of the two ends of an operation.
    Ends(&'a [Moment]),
    /// The program's own stamps, which are always told, and nothing of the kernel's.
    Stamps,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::process;

    use host::cores::usable;
    use perf_event::data::Record;
    use perf_event::events::Tracepoint;
    use perf_event::{Builder, Clock, ReadFormat, SampleFlag, Sampler};

    use super::Wanted;
    use crate::event::{
        Happening, KernelEvent, Leaves, ThreadId,
    };
    use crate::plan::Deed;
    use crate::stamp;
    use crate::tracefs;

    /// How much the kernel may write of a tracepoint on a core before it is read, in bytes.
    const BUFFER: usize = 1 << 20;

    /// Tracepoints that can be recorded; dropping them ends that.
    pub(crate) struct Tracepoints {
        recorded: Vec<RecordedTracepoint>,
    }

    /// A tracepoint on a core.
    struct RecordedTracepoint {
        kind: Kind,
        fields: Vec<Field>,
        sampler: Sampler,
    }

    /// What a tracepoint tells.
    #[derive(Debug, Clone, Copy)]
    enum Kind {
        Enter(&'static str),
        Exit(&'static str),
        Switch,
        Waking,
        InterruptSent,
        InterruptTaken,
        TimerInterrupt,
        PageFault,
    }

    /// Where in an event a number stands.
    #[derive(Debug, Clone, Copy)]
    struct Field {
        offset: usize,
        size: usize,
    }

    impl Kind {
        /// Its name in tracefs, and the fields that are read of it.
        fn source(self) -> (String, &'static [&'static str]) {
            match self {
                Kind::Enter(call) => {
                    (format!("syscalls/sys_enter_{call}"), &[])
                }
                Kind::Exit(call) => (format!("syscalls/sys_exit_{call}"), &[]),
                Kind::Switch => (
                    "sched/sched_switch".to_owned(),
                    &["next_pid", "prev_state"],
                ),
                Kind::Waking => ("sched/sched_waking".to_owned(), &["pid"]),
                Kind::InterruptSent => ("ipi/ipi_send_cpu".to_owned(), &[]),
                Kind::InterruptTaken => {
                    ("irq_vectors/reschedule_entry".to_owned(), &[])
                }
                Kind::TimerInterrupt => {
                    ("irq_vectors/local_timer_entry".to_owned(), &[])
                }
                Kind::PageFault => {
                    ("exceptions/page_fault_user".to_owned(), &[])
                }
            }
        }

        /// Whether a kernel or a processor may lack it, and a recording does without.
        fn may_be_missing(self) -> bool {
            matches!(
                self,
                Kind::InterruptSent
                    | Kind::InterruptTaken
                    | Kind::TimerInterrupt
                    | Kind::PageFault
            )
        }
    }

    impl Wanted<'_> {
        /// By which tracepoints they are told. A new thread is woken by another one than a thread that
        /// sleeps.
        fn kinds(self) -> Vec<(Kind, String, &'static [&'static str])> {
            let kinds: Vec<Kind> = match self {
                Wanted::All(calls) => {
                    let calls = calls
                        .iter()
                        .flat_map(|call| [Kind::Enter(call), Kind::Exit(call)]);
                    let others = [
                        Kind::Switch,
                        Kind::Waking,
                        Kind::InterruptSent,
                        Kind::InterruptTaken,
                        Kind::TimerInterrupt,
                        Kind::PageFault,
                    ];
                    calls.chain(others).collect()
                }
                Wanted::Ends(moments) => {
                    let of =
                        moments.iter().filter_map(|moment| match moment.deed {
                            Deed::Enters(call) => Some(Kind::Enter(call)),
                            Deed::Returns(call) => Some(Kind::Exit(call)),
                            Deed::Wakes
                            | Deed::WakesAnybody
                            | Deed::IsWoken => Some(Kind::Waking),
                            Deed::Interrupts => Some(Kind::InterruptSent),
                            Deed::Runs | Deed::RunsElsewhere | Deed::Sleeps => {
                                Some(Kind::Switch)
                            }
                            Deed::TimerInterrupt => Some(Kind::TimerInterrupt),
                            Deed::Stamps(_) => None,
                        });
                    of.collect()
                }
                Wanted::Stamps => Vec::new(),
            };
            let mut sources = Vec::new();
            for kind in kinds {
                let (name, fields) = kind.source();
                if matches!(kind, Kind::Waking) {
                    sources.push((
                        kind,
                        "sched/sched_wakeup_new".to_owned(),
                        fields,
                    ));
                }
                sources.push((kind, name, fields));
            }
            sources
        }
    }

    impl Tracepoints {
        /// Opens what is wanted, on each core that this process may use; nothing is recorded yet.
        ///
        /// # Errors
        ///
        /// Why it cannot be, and what to do.
        pub(crate) fn open(
            wanted: Wanted<'_>,
        ) -> Result<Tracepoints, String> {
            let mut recorded = Vec::new();
            for (kind, name, fields) in wanted.kinds() {
                let description = match description(&name) {
                    Ok(description) => description,
                    Err(_)
                        if kind.may_be_missing() && tracefs::is_mounted() =>
                    {
                        continue
                    }
                    Err(reason) => return Err(reason),
                };
                let places =
                    fields.iter().map(|field| place(&description, field));
                let places = places.collect::<Option<Vec<_>>>();
                let places = places.ok_or_else(|| {
                    format!("the kernel's tracepoint {name} has not the fields {fields:?}")
                })?;
                let id = number_behind(&description, "ID:");
                let id = id.ok_or_else(|| {
                    format!("the kernel's tracepoint {name} has no number")
                })?;
                for core in usable()? {
                    let sampler = sampler(id, core)
                        .map_err(|error| refused(&name, &error))?;
                    recorded.push(RecordedTracepoint {
                        kind,
                        fields: places.clone(),
                        sampler,
                    });
                }
            }
            Ok(Tracepoints { recorded })
        }

        /// What happens while `run` does, in the order of time, and what it returns.
        ///
        /// # Errors
        ///
        /// If events were lost.
        pub(crate) fn during<T>(
            &mut self,
            run: impl FnOnce() -> T,
        ) -> Result<(Vec<KernelEvent>, T), String> {
            let enabled =
                self.recorded.iter_mut().try_for_each(|of| of.sampler.enable());
            enabled.map_err(|error| {
                format!("the kernel does not begin to record: {error}")
            })?;
            stamp::switch(true);
            let returned = run();
            stamp::switch(false);
            let disabled = self
                .recorded
                .iter_mut()
                .try_for_each(|of| of.sampler.disable());
            disabled.map_err(|error| {
                format!("the kernel does not stop to record: {error}")
            })?;
            Ok((self.events()?, returned))
        }

        fn events(&mut self) -> Result<Vec<KernelEvent>, String> {
            let mut events = Vec::new();
            // By which number the kernel knows a thread that stamped: that of this process's namespace may
            // be another.
            let mut threads: Vec<(u32, ThreadId)> = Vec::new();
            let mut lost = 0;
            for RecordedTracepoint { kind, fields, sampler } in
                &mut self.recorded
            {
                // In the events themselves a loss is told by the next one, which may not come any more.
                let counted = sampler.read_full().map_err(|error| {
                    format!("the kernel does not say how many events were lost: {error}")
                })?;
                lost += counted.lost().unwrap_or(0);
                while let Some(record) = sampler.next_record() {
                    let record = record.parse_record();
                    match record.map_err(|error| {
                        format!("an event cannot be read: {error}")
                    })? {
                        Record::Sample(sample) => {
                            let raw = sample.raw().unwrap_or_default();
                            let known = (
                                sample.time(),
                                sample.cpu(),
                                number(raw, COMMON_PID),
                            );
                            let (Some(time), Some(core), Some(thread)) = known
                            else {
                                return Err(
                                    "an event has no time, core and thread"
                                        .to_owned(),
                                );
                            };
                            let is_own = sample.pid() == Some(process::id());
                            if let (true, Some(id)) = (is_own, sample.tid()) {
                                threads.push((id, thread));
                            }
                            let of = |place: usize| {
                                number(raw, fields[place]).unwrap_or(0)
                            };
                            let what = happening(*kind, of);
                            if is_own || is_of_all(what) {
                                let core = Some(core);
                                events.push(KernelEvent {
                                    time,
                                    core,
                                    thread,
                                    is_own,
                                    what,
                                });
                            }
                        }
                        Record::Lost(record) => lost += record.lost,
                        _ => {}
                    }
                }
            }
            if lost > 0 {
                return Err(format!(
                    "the kernel's buffer was full and {lost} events were lost: record fewer operations \
                     at a time, with RecordingPlan::in_batches_of"
                ));
            }
            for stamp::Stamp { time, thread, name } in stamp::take() {
                let known =
                    threads.iter().find(|(id, _)| *id == thread.unsigned_abs());
                let thread =
                    known.map_or(ThreadId::from(thread), |(_, thread)| *thread);
                let what = Happening::Stamp(name);
                events.push(KernelEvent {
                    time,
                    core: None,
                    thread,
                    is_own: true,
                    what,
                });
            }
            events.sort_by_key(|event| event.time);
            Ok(events)
        }
    }

    /// Whose thread an event is of, where every event has it.
    const COMMON_PID: Field = Field { offset: 4, size: 4 };

    /// Whether an event counts whosever it is: it says what a core does.
    fn is_of_all(what: Happening) -> bool {
        matches!(
            what,
            Happening::Switch { .. }
                | Happening::Waking(_)
                | Happening::InterruptTaken
                | Happening::TimerInterrupt
        )
    }

    fn happening(kind: Kind, field: impl Fn(usize) -> i64) -> Happening {
        match kind {
            Kind::Enter(call) => Happening::Enter(call),
            Kind::Exit(call) => Happening::Exit(call),
            Kind::Switch => {
                Happening::Switch { next: field(0), leaves: leaves(field(1)) }
            }
            Kind::Waking => Happening::Waking(field(0)),
            Kind::InterruptSent => Happening::InterruptSent,
            Kind::InterruptTaken => Happening::InterruptTaken,
            Kind::TimerInterrupt => Happening::TimerInterrupt,
            Kind::PageFault => Happening::PageFault,
        }
    }

    /// As what a thread of this state leaves its core: a bit says that it waits for something or, if it is
    /// one of two, that it has ended. One that was preempted has none of them.
    fn leaves(state: i64) -> Leaves {
        const ENDED: i64 = 0x30;
        const ANY: i64 = 0xff;
        if state & ENDED != 0 {
            Leaves::Ended
        } else if state & ANY != 0 {
            Leaves::Asleep
        } else {
            Leaves::Runnable
        }
    }

    /// A recorder of a tracepoint on a core. Linux counts lost events since 6.0.
    fn sampler(id: u64, core: usize) -> io::Result<Sampler> {
        let mut builder = Builder::new(Tracepoint::with_id(id));
        builder
            .any_pid()
            .one_cpu(core)
            .include_kernel()
            .sample_period(1)
            .sample(
                SampleFlag::TID
                    | SampleFlag::TIME
                    | SampleFlag::CPU
                    | SampleFlag::RAW,
            )
            .clockid(Clock::MONOTONIC);
        let counting = builder.read_format(ReadFormat::LOST).build();
        let counter = match counting {
            Ok(counter) => counter,
            Err(_) => builder.read_format(ReadFormat::empty()).build()?,
        };
        counter.sampled(BUFFER)
    }

    /// The text that describes a tracepoint.
    fn description(name: &str) -> Result<String, String> {
        tracefs::read(name, "format").ok_or_else(|| {
            if tracefs::is_mounted() {
                format!("this kernel has no tracepoint {name}")
            } else {
                "the kernel's tracepoints cannot be read: as root, \
                 mount -t tracefs none /sys/kernel/tracing"
                    .to_owned()
            }
        })
    }

    fn refused(name: &str, error: &io::Error) -> String {
        format!(
            "the kernel does not let this user record {name} ({error}): record as root, \
             or sudo sysctl kernel.perf_event_paranoid=-1"
        )
    }

    /// Where a field stands, by its description: `field:pid_t next_pid; offset:56; size:4; signed:1;`.
    fn place(description: &str, name: &str) -> Option<Field> {
        let of_field = |line: &&str| {
            let declared = line
                .trim()
                .strip_prefix("field:")
                .and_then(|line| line.split(';').next());
            declared.and_then(|declared| declared.split_whitespace().last())
                == Some(name)
        };
        let line = description.lines().find(of_field)?;
        let part = |key| {
            number_behind(line, key)
                .and_then(|number| usize::try_from(number).ok())
        };
        Some(Field { offset: part("offset:")?, size: part("size:")? })
    }

    fn number_behind(text: &str, key: &str) -> Option<u64> {
        let behind = text.split(key).nth(1)?.trim_start();
        let digits = behind.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    }

    /// A number of an event, whose bytes are in the machine's order.
    fn number(raw: &[u8], Field { offset, size }: Field) -> Option<i64> {
        let bytes = raw.get(offset..offset + size)?;
        match size {
            4 => Some(i64::from(i32::from_ne_bytes(bytes.try_into().ok()?))),
            8 => Some(i64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_field_is_found_by_its_name() {
            let text = "name: sched_switch\nID: 372\nformat:\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
                        \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n";
            assert_eq!(number_behind(text, "ID:"), Some(372));
            let Field { offset, size } =
                place(text, "next_pid").expect("it is there");
            assert_eq!((offset, size), (56, 4));
            assert!(place(text, "pid").is_none());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use super::Wanted;
    use crate::event::KernelEvent;

    /// Elsewhere there are none.
    pub(crate) struct Tracepoints;

    impl Tracepoints {
        pub(crate) fn open(
            _wanted: Wanted<'_>,
        ) -> Result<Tracepoints, String> {
            Err("recordings are made on Linux only".to_owned())
        }

        pub(crate) fn during<T>(
            &mut self,
            _run: impl FnOnce() -> T,
        ) -> Result<(Vec<KernelEvent>, T), String> {
            Err("recordings are made on Linux only".to_owned())
        }
    }
}
