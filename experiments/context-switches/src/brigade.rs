//! Experiment `brigade`: threads or tasks in a line pass a byte on, like
//! buckets at a fire.
//!
//! An operation sends one byte through the whole line. A hop is one write and
//! one read, from a unit (a thread or a task) to the next. A line of N units
//! has N + 1 hops, since the sender of the byte, which also receives it at
//! the end, is a unit as well. Each visit sets up its line and takes it down,
//! off the clock, so that no benchmark runs while the units of another exist.

use futures_lite::future::block_on;
use harness::{
    pin_this_thread, preempt_nobody, room_for_cores, room_for_files,
    room_for_threads, tokio_started_on, Base, Body, Cell, Counter, Experiment,
    Held, Placement, Spinners,
};
use runtimes::compio::DEFAULT as ON_COMPIO;
use runtimes::glommio::UNBOUND as ON_GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as ON_SMOL;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};
use runtimes::Runtime;

use crate::listings::brigade as over_sockets;
use crate::listings::brigade::{park, tokio_channel};

pub mod channel_lines;
mod parallel_lines;
pub mod pipe_lines;

use parallel_lines::{laps, ParallelLines};

/// The number of threads or tasks in the line of the published benchmark.
const UNITS: u64 = 500;

/// Further numbers of threads or tasks per line: those measured on one core,
/// and those measured on all cores.
const OTHER_UNITS: [u64; 5] = [2, 10, 50, 2_000, 5_000];
const ON_ALL_CORES: [u64; 2] = [10, 50];

/// Numbers of bytes that are in flight at the same time, up to one per thread
/// or task.
const IN_FLIGHT: [u64; 4] = [5, 20, 100, UNITS];

/// The number of bytes in flight for which events are counted, and for which
/// threads and Tokio's tasks are also measured on all cores.
const COUNTED_IN_FLIGHT: u64 = 100;

const PLACEMENTS: [Placement; 2] = [Placement::OneCore, Placement::AllCores];

/// The panic messages of a line that can't be created or used. If one thread
/// or task fails, the whole line is broken.
const STANDS: &str = "the line can be set up";
const WHOLE: &str = "the line is not broken";

#[derive(Clone, Copy)]
struct Setting {
    units: u64,
    in_flight: u64,
    transport: &'static str,
    placement: Placement,
    arm: &'static str,
}

impl Setting {
    /// Returns the main setting: the published line, with one byte in flight
    /// over socket pairs.
    fn centre(placement: Placement) -> Setting {
        Setting {
            units: UNITS,
            in_flight: 1,
            transport: "socketpair",
            placement,
            arm: "ours",
        }
    }

    /// Returns Tokio's multi-thread runtime, with as many workers as Tokio
    /// starts by default on the cores of this placement.
    fn workers(self) -> Runtime {
        tokio_started_on(self.placement)
    }

    /// Returns the number of threads or tasks in each line. If several bytes
    /// are in flight, each byte has its own line with an equal share of them.
    fn line(self) -> u64 {
        self.units / self.in_flight
    }

    /// Returns the expected answer: every thread or task of a line adds one
    /// to its byte.
    fn answer(self) -> u64 {
        let byte = self.line() % 256;
        match self.in_flight {
            1 => byte,
            lanes => byte * lanes * laps(self.line()),
        }
    }

    /// Returns the number of hops per operation, over all lines.
    fn hops(self) -> u64 {
        let lap = self.units + self.in_flight;
        match self.in_flight {
            1 => lap,
            _ => lap * laps(self.line()),
        }
    }

    fn cell(self, contender: &str, body: Body) -> Cell {
        let files = match self.transport {
            "socketpair" | "pipe" => 2 * (self.units + self.in_flight),
            _ => 0,
        };
        let threads = if contender == STD_THREAD.name {
            self.units + self.in_flight
        } else {
            0
        };
        let cell = Cell::new(contender, self.answer(), body)
            .per(self.hops())
            .parameter("units", self.units as i64)
            .parameter("in_flight", self.in_flight as i64)
            .parameter("transport", self.transport)
            .parameter("arm", self.arm)
            .placement(self.placement)
            .needs(move || match files {
                0 => Ok(()),
                files => room_for_files(files),
            })
            .needs(move || room_for_threads(threads));
        let cell = if contender == BASELINE.name {
            cell
        } else {
            cell.beyond(Base::Baseline, "time per switch")
        };
        // This benchmark is measured twice, since most claims compare threads
        // with something else.
        if contender == STD_THREAD.name && self.arm == "ours" {
            cell.twinned()
        } else {
            cell
        }
    }
}

/// Creates the body of a benchmark with one line of tasks on a runtime.
macro_rules! tasks {
    ($runtime:expr, $line:expr) => {
        Body::task_with(
            $runtime,
            move || async move { $line },
            |mut line| async move {
                let byte = line.pass(0).await.expect(WHOLE);
                (line, byte.into())
            },
            |line| async move {
                // An error can be ignored here: a failed task would already
                // have broken the line.
                let _ = line.end().await;
            },
        )
    };
}

/// Creates the body of a benchmark with several lines of tasks on a runtime.
/// Each line has a head, which is a task that sends the line's byte.
macro_rules! lanes_of_tasks {
    ($runtime:expr, $lanes:expr, $laps:expr, $spawn:expr, $line:expr) => {
        Body::task_with(
            $runtime,
            move || async move {
                let (lanes, heads) = ParallelLines::new($lanes);
                for head in heads {
                    let mut line = $line;
                    $spawn(async move {
                        while head.is_to_go().await {
                            let mut sum = 0;
                            for _ in 0..$laps {
                                let byte = line.pass(0).await.expect(WHOLE);
                                sum += u64::from(byte);
                            }
                            head.done(sum).await;
                        }
                        let _ = line.end().await;
                    });
                }
                lanes
            },
            |lanes| async move {
                let sum = lanes.lap().await;
                (lanes, sum)
            },
            ParallelLines::end,
        )
    };
}

/// Threads, or tasks of one runtime, that pass a byte on through socket
/// pairs.
#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    has_one_thread: bool,
    /// Creates the body of a benchmark in which all threads or tasks form a
    /// single line.
    line: fn(Setting) -> Body,
    /// Creates the body of a benchmark with several lines, with one byte in
    /// each.
    lanes: fn(Setting) -> Body,
}

impl PartialEq for Contender {
    fn eq(&self, other: &Contender) -> bool {
        self.name == other.name
    }
}

/// Defines a contender that consists of tasks on one runtime. The arguments
/// are the runtime, the module with its lines, how to spawn the head of a
/// line, and a function that returns the runtime for a setting if that
/// differs.
macro_rules! contender {
    ($runtime:expr, $module:ident, $spawn:expr) => {
        contender!($runtime, $module, $spawn, |_| $runtime)
    };
    ($runtime:expr, $module:ident, $spawn:expr, $at:expr) => {
        Contender {
            name: $runtime.name(),
            has_one_thread: $runtime.has_one_thread(),
            line: |setting| {
                let (at, units) = ($at, setting.line());
                tasks!(
                    at(setting),
                    over_sockets::$module::Line::new(units).expect(STANDS)
                )
            },
            lanes: |setting| {
                let (at, units) = ($at, setting.line());
                let (lanes, laps) = (setting.in_flight, laps(units));
                lanes_of_tasks!(
                    at(setting),
                    lanes,
                    laps,
                    $spawn,
                    over_sockets::$module::Line::new(units).expect(STANDS)
                )
            },
        }
    };
}

const BASELINE: Contender = Contender {
    name: "baseline",
    has_one_thread: true,
    line: |setting| {
        let units = setting.line();
        line_here(
            move || over_sockets::one_thread::Line::new(units).expect(STANDS),
            |line| line.pass(0).expect(WHOLE),
            drop,
        )
    },
    lanes: |_| unreachable!("it has no units to switch between"),
};

const STD_THREAD: Contender = Contender {
    name: runtimes::std_thread::NAME,
    has_one_thread: false,
    line: |setting| threads(setting.line(), |_| ()),
    lanes: |setting| lanes_of_threads(setting.in_flight, setting.line()),
};

const TOKIO_MULTI_THREAD: Contender =
    contender!(MULTI_THREAD, tokio, ::tokio::spawn, Setting::workers);
const TOKIO_CURRENT_THREAD: Contender =
    contender!(CURRENT_THREAD, tokio, ::tokio::spawn);
const SMOL: Contender =
    contender!(ON_SMOL, smol, |head| ::smol::spawn(head).detach());
const MONOIO_EPOLL: Contender = contender!(EPOLL, monoio, ::monoio::spawn);
const MONOIO_IO_URING: Contender =
    contender!(IO_URING, monoio, ::monoio::spawn);
const COMPIO: Contender = contender!(ON_COMPIO, compio, |head| {
    ::compio::runtime::spawn(head).detach();
});

#[cfg(target_os = "linux")]
const GLOMMIO: Contender = contender!(ON_GLOMMIO, glommio, |head| {
    ::glommio::spawn_local(head).detach();
});

/// On systems other than Linux, this contender only reports that Glommio
/// can't run.
#[cfg(not(target_os = "linux"))]
const GLOMMIO: Contender = Contender {
    name: ON_GLOMMIO.name(),
    has_one_thread: true,
    line: |_| Body::task(ON_GLOMMIO, || std::future::ready(0)),
    lanes: |_| Body::task(ON_GLOMMIO, || std::future::ready(0)),
};

const CONTENDERS: [Contender; 9] = [
    BASELINE,
    STD_THREAD,
    TOKIO_MULTI_THREAD,
    TOKIO_CURRENT_THREAD,
    SMOL,
    MONOIO_EPOLL,
    MONOIO_IO_URING,
    GLOMMIO,
    COMPIO,
];

const COMPARED: [Contender; 2] = [STD_THREAD, TOKIO_MULTI_THREAD];

impl Contender {
    fn one_line(self, setting: Setting) -> Cell {
        setting.cell(self.name, (self.line)(setting))
    }

    fn several_lines(self, setting: Setting) -> Cell {
        setting.cell(self.name, (self.lanes)(setting))
    }
}

/// Creates the body of a benchmark with a line. The harness's own thread uses
/// the two ends of the line. Each visit (a batch of samples in one process)
/// sets up a line, and ends it afterwards.
fn line_here<Line: 'static>(
    new: impl Fn() -> Line + 'static,
    pass: impl Fn(&mut Line) -> u8 + Copy + 'static,
    end: impl Fn(Line) + Copy + 'static,
) -> Body {
    let start = move || {
        let mut line = Held::new(new(), end);
        move || u64::from(pass(&mut line))
    };
    Body::here(start).for_each_visit()
}

/// Creates the body of a benchmark with a line of Tokio tasks over socket
/// pairs.
pub(crate) fn sockets_of_tokio(runtime: Runtime, units: u64) -> Body {
    tasks!(runtime, over_sockets::tokio::Line::new(units).expect(STANDS))
}

/// Creates the body of a benchmark with a line of threads over socket pairs.
/// Each thread first calls `prepare` with its position in the line.
pub(crate) fn threads(units: u64, prepare: fn(u64)) -> Body {
    line_here(
        move || {
            over_sockets::std_thread::Line::new(units, prepare).expect(STANDS)
        },
        |line| line.pass(0).expect(WHOLE),
        |line| line.end().expect(WHOLE),
    )
}

/// Creates the body of a benchmark with several lines of threads. Each line
/// has a head, which is a thread that sends the line's byte.
fn lanes_of_threads(lanes: u64, units: u64) -> Body {
    let laps = laps(units);
    let set_up = move || {
        let (lanes, heads) = ParallelLines::new(lanes);
        let heads = heads.into_iter().map(|head| {
            let line = over_sockets::std_thread::Line::new(units, |_| ());
            let mut line = line.expect(STANDS);
            std::thread::spawn(move || {
                while block_on(head.is_to_go()) {
                    let mut sum = 0;
                    for _ in 0..laps {
                        sum += u64::from(line.pass(0).expect(WHOLE));
                    }
                    block_on(head.done(sum));
                }
                line.end().expect(WHOLE);
            })
        });
        let heads: Vec<_> = heads.collect();
        (lanes, heads)
    };
    let start = move || {
        let lanes = Held::new(set_up(), |(lanes, heads)| {
            block_on(ParallelLines::end(lanes));
            for head in heads {
                head.join().expect(WHOLE);
            }
        });
        move || block_on(lanes.0.lap())
    };
    Body::here(start).for_each_visit()
}

pub(crate) fn experiment() -> Experiment {
    let centre = PLACEMENTS.into_iter().flat_map(|placement| {
        let centre = Setting::centre(placement);
        CONTENDERS.map(|contender| {
            let cell = contender.one_line(centre);
            let compared = COMPARED.contains(&contender);
            match placement {
                Placement::OneCore if compared => cell,
                Placement::AllCores if contender.has_one_thread => {
                    // This benchmark shows that a second core makes little
                    // difference to a runtime with only one thread.
                    cell.in_sweep().uncounted()
                }
                _ => cell.counted_in_full(),
            }
        })
    });
    Experiment::new("brigade", "time per hop", "baseline")
        .counting(&[
            Counter::ContextSwitches,
            Counter::Migrations,
            Counter::SystemCalls,
            Counter::ReadCalls,
            Counter::WriteCalls,
            Counter::EpollWaitCalls,
            Counter::FutexCalls,
            Counter::IoUringEnterCalls,
        ])
        .cells(centre)
        .cells(as_published())
        .cells(in_flight())
        .cells(taken_apart())
        .cell(worker_per_core())
        .cells(transports())
        .cells(lengths().into_iter().map(Cell::uncounted))
}

/// Creates benchmarks for lines with other numbers of threads or tasks than
/// the published one.
fn lengths() -> Vec<Cell> {
    const ON_ONE_CORE: [Contender; 5] = [
        BASELINE,
        STD_THREAD,
        TOKIO_MULTI_THREAD,
        TOKIO_CURRENT_THREAD,
        MONOIO_IO_URING,
    ];
    let length = |contender: Contender, units, placement| {
        let setting = Setting { units, ..Setting::centre(placement) };
        let cell = contender.one_line(setting).in_sweep();
        let in_quick = matches!(units, 10 | 2_000)
            && COMPARED.contains(&contender)
            && placement == Placement::OneCore;
        if in_quick {
            cell
        } else {
            cell.full_only()
        }
    };
    let mut cells = Vec::new();
    for units in OTHER_UNITS {
        cells.extend(
            ON_ONE_CORE.map(|each| length(each, units, Placement::OneCore)),
        );
    }
    for units in ON_ALL_CORES {
        cells.extend(
            COMPARED.map(|each| length(each, units, Placement::AllCores)),
        );
    }
    cells
}

/// Creates benchmarks with several bytes in flight. On one core, this changes
/// only how many bytes are ready at the same time. Threads and Tokio's
/// multi-thread runtime are also measured on all cores.
fn in_flight() -> Vec<Cell> {
    const FEW: [Contender; 5] = [
        STD_THREAD,
        TOKIO_MULTI_THREAD,
        TOKIO_CURRENT_THREAD,
        MONOIO_EPOLL,
        MONOIO_IO_URING,
    ];
    let several = |contender: Contender, in_flight, placement| {
        let setting = Setting { in_flight, ..Setting::centre(placement) };
        let on_one_core = placement == Placement::OneCore;
        let cell = contender.several_lines(setting).in_sweep();
        let is_counted = in_flight == COUNTED_IN_FLIGHT
            && on_one_core
            && FEW.contains(&contender);
        let cell =
            if is_counted { cell.counted_in_full() } else { cell.uncounted() };
        let in_quick = matches!(in_flight, 20 | COUNTED_IN_FLIGHT)
            && on_one_core
            && COMPARED.contains(&contender);
        if in_quick {
            cell
        } else {
            cell.full_only()
        }
    };
    let mut cells = Vec::new();
    for in_flight in IN_FLIGHT {
        cells.extend(
            FEW.map(|each| several(each, in_flight, Placement::OneCore)),
        );
    }
    cells.extend(
        COMPARED
            .map(|each| several(each, COUNTED_IN_FLIGHT, Placement::AllCores)),
    );
    cells
}

/// Creates benchmarks that show why pinning the threads to one core matters.
/// There is one benchmark per possible cause, which the parameter `arm`
/// names.
fn taken_apart() -> Vec<Cell> {
    let arm = |arm, placement, prepare| {
        let setting = Setting { arm, ..Setting::centre(placement) };
        setting.cell(STD_THREAD.name, threads(setting.units, prepare))
    };
    let on_its_core = |place| pin_this_thread(place as usize).expect(PINNED);
    let in_its_half =
        |place| pin_this_thread((place * 2 / UNITS) as usize).expect(PINNED);
    let quietly = |_| preempt_nobody().expect("threads may be batch threads");
    vec![
        // In this benchmark, each hop has to wake the other core.
        arm("ours", Placement::Neighbours, on_its_core).uncounted(),
        // In this benchmark, all cores are in use, but a byte moves to
        // another core only once per lap.
        arm("halves", Placement::AllCores, in_its_half)
            .needs(|| room_for_cores(2))
            .uncounted(),
        // In this benchmark, the core to be woken is not asleep.
        arm("awake", Placement::AllCores, |_| ()).beside(Spinners::Idle),
        // In this benchmark, a woken reader doesn't preempt the writer that
        // woke it.
        arm("batch", Placement::OneCore, quietly).counted_in_full(),
        arm("batch", Placement::AllCores, quietly).counted_in_full(),
    ]
    .into_iter()
    .map(Cell::in_sweep)
    .collect()
}

const PINNED: &str = "threads may be pinned";

/// Creates a benchmark for a Tokio program that is moved to one core after
/// its start. It has a worker for each core of the machine, and all workers
/// share the one core. In the central setting, there is only one worker, as
/// in a program that is started on one core.
fn worker_per_core() -> Cell {
    let one_core = Setting::centre(Placement::OneCore);
    let setting = Setting { arm: "worker per core", ..one_core };
    let body = sockets_of_tokio(MULTI_THREAD, setting.units);
    let cell = setting.cell(TOKIO_MULTI_THREAD.name, body);
    cell.in_sweep().uncounted()
}

/// Creates benchmarks for lines on one core. The lines use pipes, channels or
/// parking instead of socket pairs.
fn transports() -> Vec<Cell> {
    let [by_pipe, compared @ ..] = compared_elsewhere();
    let others = others_elsewhere().into_iter().map(Cell::full_only);
    let uncounted = compared.into_iter().chain(others).map(Cell::uncounted);
    let cells = [by_pipe.counted_in_full()].into_iter().chain(uncounted);
    cells.map(Cell::in_sweep).collect()
}

fn over(transport: &'static str) -> Setting {
    Setting { transport, ..Setting::centre(Placement::OneCore) }
}

fn pipes_of_tokio(runtime: Runtime) -> Body {
    tasks!(runtime, pipe_lines::tokio::Line::new(UNITS).expect(STANDS))
}

fn channels_of_tokio(runtime: Runtime) -> Body {
    tasks!(runtime, tokio_channel::Line::new(UNITS))
}

/// Creates benchmarks for threads, and for tasks on Tokio's multi-thread
/// runtime. Their lines use pipes, channels or parking instead of socket
/// pairs.
fn compared_elsewhere() -> [Cell; 5] {
    let pipe_threads = line_here(
        || pipe_lines::std_thread::Line::new(UNITS).expect(STANDS),
        |line| line.pass(0).expect(WHOLE),
        |line| line.end().expect(WHOLE),
    );
    let channel_threads = line_here(
        || channel_lines::std_thread::Line::new(UNITS),
        |line| line.pass(0).expect(WHOLE),
        |line| line.end().expect(WHOLE),
    );
    let parked_threads = line_here(
        || park::Line::new(UNITS),
        |line| line.pass(0),
        |line| line.end().expect(WHOLE),
    );
    let (threads, tasks) = (STD_THREAD.name, TOKIO_MULTI_THREAD.name);
    let [pipe, channel, park] = ["pipe", "channel", "park"].map(over);
    [
        pipe.cell(threads, pipe_threads),
        pipe.cell(tasks, pipes_of_tokio(pipe.workers())),
        channel.cell(threads, channel_threads),
        channel.cell(tasks, channels_of_tokio(channel.workers())),
        park.cell(threads, parked_threads),
    ]
}

/// Creates benchmarks for further runtimes over pipes or channels, and for
/// one thread that does all reads and writes.
fn others_elsewhere() -> Vec<Cell> {
    let one_thread_of_pipes = line_here(
        || pipe_lines::one_thread::Line::new(UNITS).expect(STANDS),
        |line| line.pass(0).expect(WHOLE),
        drop,
    );
    let one_thread_of_channels = line_here(
        || channel_lines::one_thread::Line::new(UNITS),
        |line| line.pass(0).expect(WHOLE),
        drop,
    );
    let smol_by_pipe =
        tasks!(ON_SMOL, pipe_lines::smol::Line::new(UNITS).expect(STANDS));
    let compio_by_pipe = tasks!(
        ON_COMPIO,
        pipe_lines::compio::Line::new(UNITS).await.expect(STANDS)
    );
    #[cfg(target_os = "linux")]
    let glommio = tasks!(ON_GLOMMIO, channel_lines::glommio::Line::new(UNITS));
    // On systems other than Linux, this benchmark only reports that Glommio
    // can't run.
    #[cfg(not(target_os = "linux"))]
    let glommio = Body::task(ON_GLOMMIO, || std::future::ready(0));
    let monoio =
        |runtime| tasks!(runtime, channel_lines::monoio::Line::new(UNITS));
    let by_channel = [
        (SMOL, tasks!(ON_SMOL, channel_lines::smol::Line::new(UNITS))),
        (MONOIO_EPOLL, monoio(EPOLL)),
        (MONOIO_IO_URING, monoio(IO_URING)),
        (GLOMMIO, glommio),
        (COMPIO, tasks!(ON_COMPIO, channel_lines::compio::Line::new(UNITS))),
    ];
    let [pipe, channel] = ["pipe", "channel"].map(over);
    let mut cells = vec![
        pipe.cell(BASELINE.name, one_thread_of_pipes),
        pipe.cell(TOKIO_CURRENT_THREAD.name, pipes_of_tokio(CURRENT_THREAD)),
        channel.cell(BASELINE.name, one_thread_of_channels),
        channel
            .cell(TOKIO_CURRENT_THREAD.name, channels_of_tokio(CURRENT_THREAD)),
        pipe.cell(SMOL.name, smol_by_pipe),
        pipe.cell(COMPIO.name, compio_by_pipe),
    ];
    let by_channel = by_channel.into_iter();
    cells.extend(by_channel.map(|(each, body)| channel.cell(each.name, body)));
    cells
}

/// Creates our versions of the published benchmark `context-switch.brigade`.
/// Threads run as in our own benchmark. The root of the tasks is a future
/// that runs in `block_on`.
fn as_published() -> Vec<Cell> {
    let published = |placement| Setting {
        arm: "as published",
        ..Setting::centre(placement)
    };
    let (one, all) =
        (published(Placement::OneCore), published(Placement::AllCores));
    let in_block_on = |new: fn()
        -> std::io::Result<tokio::runtime::Runtime>| {
        let set_up = move || {
            let runtime = new().expect("the runtime can be built");
            let line = runtime
                .block_on(async { over_sockets::tokio::Line::new(UNITS) });
            (line.expect(STANDS), runtime)
        };
        line_here(
            set_up,
            |(line, runtime)| runtime.block_on(line.pass(0)).expect(WHOLE),
            |(line, runtime)| runtime.block_on(line.end()).expect(WHOLE),
        )
    };
    let current_thread = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build()
    };
    vec![
        STD_THREAD.one_line(all).uncounted().full_only(),
        STD_THREAD.one_line(one).uncounted().full_only(),
        all.cell(
            TOKIO_MULTI_THREAD.name,
            in_block_on(tokio::runtime::Runtime::new),
        )
        .counted_in_full(),
        all.cell(TOKIO_CURRENT_THREAD.name, in_block_on(current_thread))
            .full_only(),
    ]
    .into_iter()
    .map(Cell::in_sweep)
    .collect()
}
