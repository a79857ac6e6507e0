//! Experiment `quota`: a server in a control group that may use half of one
//! processor's time, or all of it. The kernel grants this time anew in each
//! period, and stops all threads of the group when it is used up.
//!
//! The measurements change one parameter at a time, starting from the time of
//! one processor in periods of a tenth of a second, and a server with two
//! workers.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};
use measurement::Source;

pub(crate) mod group;
mod server;
mod visit;

use group::{Group, Limit};
use server::{Kind, Server};
use visit::Visit;

pub(crate) use server::{main, NAME};

const HALF: Option<u64> = Some(50);
const ONE: Option<u64> = Some(100);
const ONE_AND_A_HALF: Option<u64> = Some(150);

/// The loads in percent of the quota. They assume that each request takes
/// exactly its computing time; HTTP adds some more.
const LOADS: [u64; 3] = [30, 60, 90];

const PERIOD: Duration = Duration::from_millis(100);
const SHORT_PERIOD: Duration = Duration::from_millis(10);

/// The length of one measurement: sixteen periods.
const WINDOW: Duration = Duration::from_millis(1_600);

/// The computing time of a normal and of a long request. A few long requests
/// in a row are a burst of work.
const WORK: Duration = Duration::from_millis(1);
const LONG_WORK: Duration = Duration::from_millis(5);

const MULTI_THREAD: &str = "tokio multi-thread";

pub(crate) fn experiment() -> Experiment {
    let half = Setting { percent: HALF, ..CENTRE };
    let none = Setting { percent: None, ..CENTRE };
    let long = Setting { work: LONG_WORK, load: 60, ..half };
    let centre = [1, 2].map(|workers| Setting { workers, ..CENTRE });
    let of_quotas = [CENTRE, half].into_iter().flat_map(|quota| {
        LOADS.into_iter().flat_map(move |load| {
            [1, 2].map(|workers| Setting { workers, load, ..quota })
        })
    });
    let of_quotas =
        of_quotas.filter(|it| it.percent == HALF || it.load != CENTRE.load);
    let one_factor = [
        none,
        Setting { load: 30, ..none },
        Setting { period: SHORT_PERIOD, ..CENTRE },
        Setting { period: SHORT_PERIOD, ..half },
        Setting { burst: PERIOD, ..CENTRE },
        Setting { burst: PERIOD / 2, ..half },
        Setting { workers: 4, ..CENTRE },
        Setting { kind: Kind::CurrentThread, ..CENTRE },
    ];
    let closed = [
        Setting { load: 0, workers: 1, ..CENTRE },
        Setting { load: 0, ..CENTRE },
        Setting { load: 0, workers: 1, ..half },
        Setting { load: 0, ..half },
        Setting { load: 0, ..none },
    ];
    let of_long_requests = [
        long,
        Setting { workers: 1, ..long },
        Setting { load: 30, ..long },
        // Without a quota, a load of 30 % has the same request rate as a load
        // of 60 % with a quota of half a processor.
        Setting { percent: None, load: 30, ..long },
        Setting { period: SHORT_PERIOD, ..long },
        Setting { burst: PERIOD / 2, ..long },
        Setting { percent: ONE, load: 30, ..long },
    ];
    let sweep = of_quotas.chain(one_factor).chain(closed);
    Experiment::new("quota", "throughput", MULTI_THREAD)
        .cells(centre.map(Setting::cell))
        .cells(of_long_requests.map(|it| it.cell().full_only()))
        .cells(sweep.map(|it| it.cell().in_sweep().full_only()))
        .cells([HALF, ONE, ONE_AND_A_HALF, None].into_iter().flat_map(defaults))
}

#[derive(Debug, Clone, Copy)]
struct Setting {
    kind: Kind,
    percent: Option<u64>,
    period: Duration,
    burst: Duration,
    workers: usize,
    work: Duration,
    /// The load in percent of the quota or, without a quota, of one
    /// processor. With 0, each connection sends its next request as soon as
    /// it has an answer.
    load: u64,
}

const CENTRE: Setting = Setting {
    kind: Kind::MultiThread,
    percent: ONE,
    period: PERIOD,
    burst: Duration::ZERO,
    workers: 2,
    work: WORK,
    load: 90,
};

impl Setting {
    fn limit(self) -> Limit {
        let Setting { percent, period, burst, .. } = self;
        Limit { percent, period, burst }
    }

    fn cell(self) -> Cell {
        let percent = self.percent.or(ONE).expect("one of them is there");
        let allowed = percent as f64 / 100.0 / self.work.as_secs_f64();
        let rate = allowed * self.load as f64 / 100.0;
        let visit = Visit {
            kind: self.kind,
            workers: self.workers,
            limit: self.limit(),
            work: self.work,
            rate: (self.load > 0).then_some(rate),
        };
        let contender = match self.kind {
            Kind::CurrentThread => "tokio current_thread",
            Kind::MultiThread | Kind::Defaults => MULTI_THREAD,
        };
        let loop_kind = if self.load > 0 { "open" } else { "closed" };
        let limit = self.limit();
        Cell::window(contender, WINDOW, move |window| visit.take(window))
            .also(&visit::ALSO)
            .parameter("loop", loop_kind)
            .parameter("quota", name(self.percent))
            .parameter("period_ms", self.period.as_millis() as i64)
            .parameter("burst_ms", self.burst.as_millis() as i64)
            .parameter("workers", self.workers as i64)
            .parameter("load_percent", self.load as i64)
            .parameter("work_ns", self.work.as_nanos() as i64)
            .group(&format!("{loop_kind}, {:?}", self.work))
            .needs(|| room_for_cores(2))
            .needs(move || Group::new(limit).map(drop))
    }
}

fn name(percent: Option<u64>) -> &'static str {
    match percent {
        HALF => "half a core",
        ONE => "one core",
        ONE_AND_A_HALF => "one and a half",
        _ => "none",
    }
}

/// Creates measurements of how many threads libraries start by default in a
/// control group with this quota.
fn defaults(percent: Option<u64>) -> [Cell; 3] {
    let limit = Limit { percent, period: PERIOD, burst: Duration::ZERO };
    let of = ["std::thread", MULTI_THREAD, "rayon"];
    let mut place = 0;
    of.map(|contender| {
        let which = place;
        place += 1;
        let take = move || {
            let mut server = Server::start(Kind::Defaults, 0, WORK, limit)?;
            let said = server.line()?;
            let mut counts = said.split(' ').map(str::parse::<u32>);
            match counts.nth(which) {
                Some(Ok(count)) => Ok(vec![f64::from(count)]),
                _ => Err(format!("the process says {said:?}")),
            }
        };
        let quantities = ["room for threads"];
        Cell::readings(contender, Source::Harness, &quantities, take)
            .parameter("quota", name(percent))
            .parameter("arm", "default")
            .group("defaults")
            .needs(move || Group::new(limit).map(drop))
    })
}
