//! Experiment `brigade`: units in a line pass a byte on, as buckets at a fire.
//!
//! An operation sends one byte through the whole line. A hop is one write and
//! one read, from a unit to the next: a line of N units has N + 1 of them, since
//! who sends the byte and takes it at the end is a unit as well. The line is set
//! up for a visit, off the clock, and taken down after it, so that no cell has
//! the units of others beside it.

use ::tokio::runtime::Runtime;
use futures_lite::future::block_on;
use harness::{
    pin_this_thread, preempt_nobody, room_for_cores, room_for_files,
    room_for_threads, Body, Cell, Counter, Executor, Experiment, LocalExecutor,
    Placement, Spinners,
};

use lanes::{laps, Lanes};

pub mod channel;
pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
mod lanes;
pub mod monoio;
pub mod one_thread;
pub mod park;
pub mod pipe;
pub mod smol;
pub mod std_thread;
pub mod tokio;

/// As published.
const UNITS: u64 = 500;

/// Lengths of the line beside that.
const OTHER_UNITS: [u64; 5] = [2, 10, 50, 2_000, 5_000];

/// Bytes at once, beside one: from few to one for each unit.
const IN_FLIGHT: [u64; 4] = [5, 20, 100, UNITS];

/// With how many every contender is measured, and two on all cores.
const AT_LENGTH: [u64; 2] = [20, COUNTED_IN_FLIGHT];

/// With how many bytes in flight it is counted as well what happens.
const COUNTED_IN_FLIGHT: u64 = 100;

/// Placements of the centre.
const PLACEMENTS: [Placement; 2] = [Placement::OneCore, Placement::AllCores];

const MULTI_THREAD: Executor = Executor::TokioMultiThread;
const CURRENT_THREAD: Executor = Executor::TokioCurrentThread;

/// What goes wrong in a unit breaks the line.
const STANDS: &str = "the line can be set up";
const WHOLE: &str = "the line is not broken";

/// Where a contender stands.
#[derive(Clone, Copy)]
struct Setting {
    units: u64,
    in_flight: u64,
    transport: &'static str,
    placement: Placement,
    arm: &'static str,
}

impl Setting {
    /// The centre, on these cores.
    fn centre(placement: Placement) -> Setting {
        Setting {
            units: UNITS,
            in_flight: 1,
            transport: "socketpair",
            placement,
            arm: "ours",
        }
    }

    /// Tokio's multi-thread runtime with the workers that it has where this is.
    fn workers(self) -> Executor {
        Executor::tokio_started_on(self.placement)
    }

    /// How many units are in each line.
    fn line(self) -> u64 {
        self.units / self.in_flight
    }

    /// Every unit that a byte meets adds one to it.
    fn answer(self) -> u64 {
        let byte = self.line() % 256;
        match self.in_flight {
            1 => byte,
            lanes => byte * lanes * laps(self.line()),
        }
    }

    /// How many hops are in an operation.
    fn hops(self) -> u64 {
        let lap = self.units + self.in_flight;
        match self.in_flight {
            1 => lap,
            _ => lap * laps(self.line()),
        }
    }

    /// A cell there.
    fn cell(self, contender: &str, body: Body) -> Cell {
        let files = match self.transport {
            "socketpair" | "pipe" => 2 * (self.units + self.in_flight),
            _ => 0,
        };
        let threads = match contender {
            "std::thread" => self.units + self.in_flight,
            _ => 0,
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
        // Most of what is said compares something with threads.
        if contender == StdThread.name() && self.arm == "ours" {
            cell.twinned()
        } else {
            cell
        }
    }
}

/// A line of tasks: `$with` is [`Body::task_with`] or its like for local ones.
macro_rules! tasks {
    ($with:path, $executor:expr, $line:expr) => {
        $with(
            $executor,
            move || async move { $line },
            |mut line| async move {
                let byte = line.pass(0).await.expect(WHOLE);
                (line, byte.into())
            },
            |line| async move {
                // What went wrong in a unit would have broken the line before.
                let _ = line.end().await;
            },
        )
    };
}

/// Several lines of tasks, each with a head.
macro_rules! lanes_of_tasks {
    ($with:path, $executor:expr, $lanes:expr, $laps:expr, $spawn:expr, $line:expr) => {
        $with(
            $executor,
            move || async move {
                let (lanes, heads) = Lanes::new($lanes);
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
            Lanes::end,
        )
    };
}

/// Tasks, or threads.
#[derive(Clone, Copy, PartialEq)]
enum Contender {
    Baseline,
    StdThread,
    TokioMultiThread,
    TokioCurrentThread,
    Smol,
    MonoioEpoll,
    MonoioIoUring,
    Glommio,
    Compio,
}

use Contender::*;

/// All of them.
const CONTENDERS: [Contender; 9] = [
    Baseline,
    StdThread,
    TokioMultiThread,
    TokioCurrentThread,
    Smol,
    MonoioEpoll,
    MonoioIoUring,
    Glommio,
    Compio,
];

impl Contender {
    fn name(self) -> &'static str {
        match self {
            Baseline => "baseline",
            StdThread => "std::thread",
            TokioMultiThread => MULTI_THREAD.contender(),
            TokioCurrentThread => CURRENT_THREAD.contender(),
            Smol => Executor::Smol.contender(),
            MonoioEpoll => LocalExecutor::MonoioEpoll.contender(),
            MonoioIoUring => LocalExecutor::MonoioIoUring.contender(),
            Glommio => LocalExecutor::Glommio.contender(),
            Compio => LocalExecutor::Compio.contender(),
        }
    }

    fn has_one_thread(self) -> bool {
        !matches!(self, StdThread | TokioMultiThread | Smol)
    }

    /// A line over socket pairs.
    fn sockets(self, setting: Setting) -> Cell {
        let units = setting.line();
        let of_monoio = |executor| {
            tasks!(
                Body::local_task_with,
                executor,
                monoio::Line::new(units).expect(STANDS)
            )
        };
        let body = match self {
            Baseline => Body::here_with(
                move || one_thread::Line::new(units).expect(STANDS),
                |line| line.pass(0).expect(WHOLE).into(),
                drop,
            ),
            StdThread => threads(units, |_| ()),
            TokioMultiThread => sockets_of_tokio(setting.workers(), units),
            TokioCurrentThread => sockets_of_tokio(CURRENT_THREAD, units),
            Smol => tasks!(
                Body::task_with,
                Executor::Smol,
                smol::Line::new(units).expect(STANDS)
            ),
            MonoioEpoll => of_monoio(LocalExecutor::MonoioEpoll),
            MonoioIoUring => of_monoio(LocalExecutor::MonoioIoUring),
            #[cfg(target_os = "linux")]
            Glommio => tasks!(
                Body::local_task_with,
                LocalExecutor::Glommio,
                glommio::Line::new(units).expect(STANDS)
            ),
            // It says itself that it cannot run.
            #[cfg(not(target_os = "linux"))]
            Glommio => Body::local_task(LocalExecutor::Glommio, || {
                std::future::ready(0)
            }),
            Compio => tasks!(
                Body::local_task_with,
                LocalExecutor::Compio,
                compio::Line::new(units).expect(STANDS)
            ),
        };
        setting.cell(self.name(), body)
    }

    /// Several lines over socket pairs.
    fn lanes(self, setting: Setting) -> Cell {
        let (lanes, units) = (setting.in_flight, setting.line());
        let laps = laps(units);
        let of_tokio = |executor| {
            lanes_of_tasks!(
                Body::task_with,
                executor,
                lanes,
                laps,
                ::tokio::spawn,
                tokio::Line::new(units).expect(STANDS)
            )
        };
        let of_monoio = |executor| {
            lanes_of_tasks!(
                Body::local_task_with,
                executor,
                lanes,
                laps,
                ::monoio::spawn,
                monoio::Line::new(units).expect(STANDS)
            )
        };
        let body = match self {
            Baseline => unreachable!("it has no units to switch between"),
            StdThread => lanes_of_threads(lanes, units),
            TokioMultiThread => of_tokio(setting.workers()),
            TokioCurrentThread => of_tokio(CURRENT_THREAD),
            Smol => lanes_of_tasks!(
                Body::task_with,
                Executor::Smol,
                lanes,
                laps,
                |head| ::smol::spawn(head).detach(),
                smol::Line::new(units).expect(STANDS)
            ),
            MonoioEpoll => of_monoio(LocalExecutor::MonoioEpoll),
            MonoioIoUring => of_monoio(LocalExecutor::MonoioIoUring),
            #[cfg(target_os = "linux")]
            Glommio => lanes_of_tasks!(
                Body::local_task_with,
                LocalExecutor::Glommio,
                lanes,
                laps,
                |head| ::glommio::spawn_local(head).detach(),
                glommio::Line::new(units).expect(STANDS)
            ),
            // It says itself that it cannot run.
            #[cfg(not(target_os = "linux"))]
            Glommio => Body::local_task(LocalExecutor::Glommio, || {
                std::future::ready(0)
            }),
            Compio => lanes_of_tasks!(
                Body::local_task_with,
                LocalExecutor::Compio,
                lanes,
                laps,
                |head| ::compio::runtime::spawn(head).detach(),
                compio::Line::new(units).expect(STANDS)
            ),
        };
        setting.cell(self.name(), body)
    }
}

/// A line of Tokio tasks.
fn sockets_of_tokio(executor: Executor, units: u64) -> Body {
    tasks!(Body::task_with, executor, tokio::Line::new(units).expect(STANDS))
}

/// A line of threads, each of which calls `prepare` with its place.
fn threads(units: u64, prepare: fn(u64)) -> Body {
    Body::here_with(
        move || std_thread::Line::new(units, prepare).expect(STANDS),
        |line| line.pass(0).expect(WHOLE).into(),
        |line| line.end().expect(WHOLE),
    )
}

/// Several lines of threads, each with a head, which is a thread as well.
fn lanes_of_threads(lanes: u64, units: u64) -> Body {
    let laps = laps(units);
    let set_up = move || {
        let (lanes, heads) = Lanes::new(lanes);
        let heads = heads.into_iter().map(|head| {
            let line = std_thread::Line::new(units, |_| ());
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
    Body::here_with(
        set_up,
        |(lanes, _)| block_on(lanes.lap()),
        |(lanes, heads)| {
            block_on(lanes.end());
            for head in heads {
                head.join().expect(WHOLE);
            }
        },
    )
}

pub(crate) fn experiment() -> Experiment {
    let centre = PLACEMENTS.into_iter().flat_map(|placement| {
        let centre = Setting::centre(placement);
        CONTENDERS.map(|contender| {
            let cell = contender.sockets(centre);
            let compared = matches!(contender, StdThread | TokioMultiThread);
            match placement {
                Placement::OneCore if compared => cell,
                Placement::AllCores if contender.has_one_thread() => {
                    // Another core changes little for it, as this shows.
                    cell.in_sweep().uncounted()
                }
                _ => cell.counted_in_full(),
            }
        })
    });
    Experiment::new("brigade", "time per hop", "baseline")
        .beyond_baseline("time per switch")
        .counting(&[
            Counter::UserCpuTime,
            Counter::SystemCpuTime,
            Counter::ContextSwitches,
            Counter::Migrations,
            Counter::PageFaults,
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

/// The same units in lines of other lengths.
fn lengths() -> Vec<Cell> {
    const ON_ONE_CORE: [Contender; 5] = [
        Baseline,
        StdThread,
        TokioMultiThread,
        TokioCurrentThread,
        MonoioIoUring,
    ];
    const ON_ALL_CORES: [Contender; 2] = [StdThread, TokioMultiThread];
    let length = |contender: Contender, units, placement| {
        let setting = Setting { units, ..Setting::centre(placement) };
        let cell = contender.sockets(setting).in_sweep();
        let in_quick = matches!(units, 10 | 2_000)
            && matches!(contender, StdThread | TokioMultiThread)
            && placement == Placement::OneCore;
        match in_quick {
            true => cell,
            false => cell.full_only(),
        }
    };
    let mut cells = Vec::new();
    for units in OTHER_UNITS {
        cells.extend(
            ON_ONE_CORE.map(|each| length(each, units, Placement::OneCore)),
        );
        cells.extend(
            ON_ALL_CORES.map(|each| length(each, units, Placement::AllCores)),
        );
    }
    cells
}

/// More bytes at once. On one core, so that what changes is how many are ready
/// together, and not how many cores pass them on; on all cores for two of them.
fn in_flight() -> Vec<Cell> {
    const FEW: [Contender; 5] = [
        StdThread,
        TokioMultiThread,
        TokioCurrentThread,
        MonoioEpoll,
        MonoioIoUring,
    ];
    let several = |contender: Contender, in_flight, placement| {
        let setting = Setting { in_flight, ..Setting::centre(placement) };
        let on_one_core = placement == Placement::OneCore;
        let cell = contender.lanes(setting).in_sweep();
        let is_counted = in_flight == COUNTED_IN_FLIGHT
            && on_one_core
            && FEW.contains(&contender);
        let cell = match is_counted {
            true => cell.counted_in_full(),
            false => cell.uncounted(),
        };
        let in_quick = AT_LENGTH.contains(&in_flight)
            && on_one_core
            && matches!(contender, StdThread | TokioMultiThread);
        match in_quick {
            true => cell,
            false => cell.full_only(),
        }
    };
    let mut cells = Vec::new();
    for in_flight in IN_FLIGHT {
        let wanted = |contender: &Contender| match contender {
            Baseline => false,
            _ => AT_LENGTH.contains(&in_flight) || FEW.contains(contender),
        };
        let contenders = CONTENDERS.into_iter().filter(wanted);
        cells.extend(
            contenders.map(|each| several(each, in_flight, Placement::OneCore)),
        );
        if AT_LENGTH.contains(&in_flight) {
            cells.extend(
                [StdThread, TokioMultiThread]
                    .map(|each| several(each, in_flight, Placement::AllCores)),
            );
        }
    }
    cells
}

/// What pinning the threads to one core changes, one thing at a time.
fn taken_apart() -> Vec<Cell> {
    let arm = |arm, placement, prepare| {
        let setting = Setting { arm, ..Setting::centre(placement) };
        setting.cell(StdThread.name(), threads(setting.units, prepare))
    };
    let awake = |contender: Contender| {
        let centre = Setting::centre(Placement::AllCores);
        contender
            .sockets(Setting { arm: "awake", ..centre })
            .beside(Spinners::Idle)
    };
    let on_its_core = |place| pin_this_thread(place as usize).expect(PINNED);
    let in_its_half =
        |place| pin_this_thread((place * 2 / UNITS) as usize).expect(PINNED);
    let quietly = |_| preempt_nobody().expect("threads may be batch threads");
    vec![
        // Each hop wakes the other core.
        arm("ours", Placement::Neighbours, on_its_core).uncounted(),
        // All cores are in use, but a byte changes the core once a lap only.
        arm("halves", Placement::AllCores, in_its_half)
            .needs(|| room_for_cores(2))
            .counted_in_full(),
        // A core that is to be woken is not asleep.
        awake(StdThread),
        awake(TokioMultiThread),
        // A reader that is woken does not preempt its writer.
        arm("batch", Placement::OneCore, quietly).counted_in_full(),
        arm("batch", Placement::AllCores, quietly).counted_in_full(),
    ]
    .into_iter()
    .map(Cell::in_sweep)
    .collect()
}

const PINNED: &str = "threads may be pinned";

/// What a Tokio program gets that is moved to one core after its start: a worker
/// for each core of the machine, which share the one. In the centre there is one
/// worker, as in a program that is started there.
fn worker_per_core() -> Cell {
    let one_core = Setting::centre(Placement::OneCore);
    let setting = Setting { arm: "worker per core", ..one_core };
    let body = sockets_of_tokio(MULTI_THREAD, setting.units);
    let cell = setting.cell(TokioMultiThread.name(), body);
    cell.in_sweep().counted_in_full()
}

/// The same line over something else than socket pairs.
fn transports() -> Vec<Cell> {
    let everywhere = PLACEMENTS.into_iter().flat_map(|placement| {
        let on_one_core = placement == Placement::OneCore;
        compared_over(placement).into_iter().map(
            move |cell| match on_one_core {
                true => cell.counted_in_full(),
                false => cell.uncounted().full_only(),
            },
        )
    });
    let others = others_over(Placement::OneCore).into_iter();
    everywhere
        .chain(others.map(|cell| cell.uncounted().full_only()))
        .map(Cell::in_sweep)
        .collect()
}

fn over(transport: &'static str, placement: Placement) -> Setting {
    Setting { transport, ..Setting::centre(placement) }
}

fn pipes_of_tokio(executor: Executor) -> Body {
    tasks!(
        Body::task_with,
        executor,
        pipe::tokio::Line::new(UNITS).expect(STANDS)
    )
}

fn channels_of_tokio(executor: Executor) -> Body {
    tasks!(Body::task_with, executor, channel::tokio::Line::new(UNITS))
}

/// Threads, and tasks on Tokio's multi-thread runtime.
fn compared_over(placement: Placement) -> [Cell; 5] {
    let pipe_threads = Body::here_with(
        || pipe::std_thread::Line::new(UNITS).expect(STANDS),
        |line| line.pass(0).expect(WHOLE).into(),
        |line| line.end().expect(WHOLE),
    );
    let channel_threads = Body::here_with(
        || channel::std_thread::Line::new(UNITS),
        |line| line.pass(0).expect(WHOLE).into(),
        |line| line.end().expect(WHOLE),
    );
    let parked_threads = Body::here_with(
        || park::Line::new(UNITS),
        |line| line.pass(0).into(),
        |line| line.end().expect(WHOLE),
    );
    let (threads, tasks) = (StdThread.name(), TokioMultiThread.name());
    let [pipe, channel, park] =
        ["pipe", "channel", "park"].map(|each| over(each, placement));
    [
        pipe.cell(threads, pipe_threads),
        pipe.cell(tasks, pipes_of_tokio(pipe.workers())),
        channel.cell(threads, channel_threads),
        channel.cell(tasks, channels_of_tokio(channel.workers())),
        park.cell(threads, parked_threads),
    ]
}

/// The other contenders that have such a transport.
fn others_over(placement: Placement) -> Vec<Cell> {
    let one_thread_of_pipes = Body::here_with(
        || pipe::one_thread::Line::new(UNITS).expect(STANDS),
        |line| line.pass(0).expect(WHOLE).into(),
        drop,
    );
    let one_thread_of_channels = Body::here_with(
        || channel::one_thread::Line::new(UNITS),
        |line| line.pass(0).expect(WHOLE).into(),
        drop,
    );
    let smol_by_pipe = tasks!(
        Body::task_with,
        Executor::Smol,
        pipe::smol::Line::new(UNITS).expect(STANDS)
    );
    let smol_by_channel = tasks!(
        Body::task_with,
        Executor::Smol,
        channel::smol::Line::new(UNITS)
    );
    let compio_by_pipe = tasks!(
        Body::local_task_with,
        LocalExecutor::Compio,
        pipe::compio::Line::new(UNITS).await.expect(STANDS)
    );
    let compio_by_channel = tasks!(
        Body::local_task_with,
        LocalExecutor::Compio,
        channel::compio::Line::new(UNITS)
    );
    let monoio = |executor| {
        tasks!(
            Body::local_task_with,
            executor,
            channel::monoio::Line::new(UNITS)
        )
    };
    #[cfg(target_os = "linux")]
    let glommio = tasks!(
        Body::local_task_with,
        LocalExecutor::Glommio,
        channel::glommio::Line::new(UNITS)
    );
    // It says itself that it cannot run.
    #[cfg(not(target_os = "linux"))]
    let glommio =
        Body::local_task(LocalExecutor::Glommio, || std::future::ready(0));
    let [pipe, channel] = ["pipe", "channel"].map(|each| over(each, placement));
    vec![
        pipe.cell(Baseline.name(), one_thread_of_pipes),
        pipe.cell(CURRENT_THREAD.contender(), pipes_of_tokio(CURRENT_THREAD)),
        channel.cell(Baseline.name(), one_thread_of_channels),
        channel.cell(
            CURRENT_THREAD.contender(),
            channels_of_tokio(CURRENT_THREAD),
        ),
        pipe.cell(Smol.name(), smol_by_pipe),
        pipe.cell(Compio.name(), compio_by_pipe),
        channel.cell(Smol.name(), smol_by_channel),
        channel.cell(MonoioEpoll.name(), monoio(LocalExecutor::MonoioEpoll)),
        channel
            .cell(MonoioIoUring.name(), monoio(LocalExecutor::MonoioIoUring)),
        channel.cell(Glommio.name(), glommio),
        channel.cell(Compio.name(), compio_by_channel),
    ]
}

/// `context-switch.brigade` as it was published: threads as in ours, tasks with
/// their root in `block_on`.
fn as_published() -> Vec<Cell> {
    let published = |placement| Setting {
        arm: "as published",
        ..Setting::centre(placement)
    };
    let (one, all) =
        (published(Placement::OneCore), published(Placement::AllCores));
    let in_block_on = |new: fn() -> std::io::Result<Runtime>| {
        Body::here_with(
            move || {
                let runtime = new().expect("the runtime can be built");
                let line = runtime.block_on(async { tokio::Line::new(UNITS) });
                (line.expect(STANDS), runtime)
            },
            |(line, runtime)| {
                runtime.block_on(line.pass(0)).expect(WHOLE).into()
            },
            |(line, runtime)| runtime.block_on(line.end()).expect(WHOLE),
        )
    };
    let current_thread = || {
        let mut builder = ::tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build()
    };
    vec![
        StdThread.sockets(all).uncounted().full_only(),
        StdThread.sockets(one).uncounted().full_only(),
        all.cell(TokioMultiThread.name(), in_block_on(Runtime::new))
            .counted_in_full(),
        all.cell(TokioCurrentThread.name(), in_block_on(current_thread))
            .full_only(),
    ]
    .into_iter()
    .map(Cell::in_sweep)
    .collect()
}
