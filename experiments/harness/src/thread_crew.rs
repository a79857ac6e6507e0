//! Threads that start work at the same moment.

use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::thread;
use std::time::{Duration, Instant};

use host::cores::pin_this_thread;

/// The work of each thread. The argument is the thread's index.
type Work = dyn Fn(usize) -> u64 + Send + Sync;

/// Computes the answer from the sum of all threads' results, once all threads
/// have finished.
type Finish = dyn Fn(u64) -> u64 + Send + Sync;

/// The times at which a thread started and finished its work, or the reason
/// why it could not be pinned.
type Report = Result<(Instant, Instant), String>;

/// The number of threads, and whether each thread is pinned to its own core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Members {
    pub(crate) threads: usize,
    pub(crate) pinned: bool,
}

/// Threads that wait for work. They exit together with the harness's thread.
struct Crew {
    members: Vec<mpsc::Sender<Arc<Piece>>>,
    reports: mpsc::Receiver<thread::Result<Report>>,
}

thread_local! {
    /// The crews (sets of waiting threads) that the harness's own thread has
    /// started.
    static CREWS: RefCell<HashMap<Members, Crew>> = RefCell::default();
}

impl Members {
    /// Makes all threads start `work` at the same moment. The last one to
    /// finish calls `finish`. Returns the time from the first start to the
    /// last end, and the answer of `finish`.
    ///
    /// Fails, with the reason, if threads cannot be started or pinned here.
    pub(crate) fn work(
        self,
        work: Arc<Work>,
        finish: Arc<Finish>,
    ) -> Result<(Duration, u64), String> {
        let piece = Arc::new(Piece {
            members: self,
            work,
            finish,
            there: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            sum: AtomicU64::new(0),
        });
        let reports = CREWS.with_borrow_mut(|crews| {
            let crew = match crews.entry(self) {
                Entry::Occupied(crew) => crew.into_mut(),
                Entry::Vacant(place) => place.insert(Crew::start(self)?),
            };
            Ok::<_, String>(crew.carry_out(&piece))
        })?;
        // Waits for the reports of all threads before checking for a failure.
        let report = |report: thread::Result<_>| {
            report.unwrap_or_else(|panic| resume_unwind(panic))
        };
        let reports = reports.into_iter().map(report);
        let times = reports.collect::<Result<Vec<_>, String>>()?;
        let began = times.iter().map(|&(began, _)| began).min();
        let ended = times.iter().map(|&(_, ended)| ended).max();
        let elapsed = ended.zip(began).map_or(Duration::ZERO, |(e, b)| e - b);
        Ok((elapsed, piece.sum.load(Ordering::Relaxed)))
    }
}

impl Crew {
    fn start(members: Members) -> Result<Crew, String> {
        let (says, reports) = mpsc::channel();
        let member = |place| {
            let (member, pieces) = mpsc::channel::<Arc<Piece>>();
            let says = says.clone();
            let body = move || {
                for piece in pieces {
                    let part = AssertUnwindSafe(|| piece.take_part(place));
                    let report = catch_unwind(part);
                    drop(piece);
                    drop(says.send(report));
                }
            };
            let builder = thread::Builder::new().name("crew".to_owned());
            builder.spawn(body).map_err(|error| error.to_string())?;
            Ok::<_, String>(member)
        };
        let members =
            (0..members.threads).map(member).collect::<Result<_, _>>()?;
        Ok(Crew { members, reports })
    }

    fn carry_out(&self, piece: &Arc<Piece>) -> Vec<thread::Result<Report>> {
        for member in &self.members {
            member.send(Arc::clone(piece)).expect("a member waits for work");
        }
        self.reports.iter().take(self.members.len()).collect()
    }
}

struct Piece {
    members: Members,
    work: Arc<Work>,
    finish: Arc<Finish>,
    there: AtomicUsize,
    done: AtomicUsize,
    /// The sum of the threads' results. At the end, this is the answer.
    sum: AtomicU64,
}

impl Piece {
    fn take_part(&self, place: usize) -> Report {
        // Pins the thread again for each piece of work, because a benchmark
        // on one core unpins every thread when it ends.
        let pinned =
            if self.members.pinned { pin_this_thread(place) } else { Ok(()) };
        self.meet();
        let began = Instant::now();
        let returned = (self.work)(place);
        self.sum.fetch_add(returned, Ordering::AcqRel);
        if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.members.threads
        {
            let sum = self.sum.load(Ordering::Acquire);
            self.sum.store((self.finish)(sum), Ordering::Release);
        }
        let ended = Instant::now();
        pinned.map(|()| (began, ended))
    }

    /// Waits until all threads have arrived and are awake: a sleeping thread
    /// would start later.
    fn meet(&self) {
        const PATIENCE: u32 = 1_000;
        let mut waited = 0;
        self.there.fetch_add(1, Ordering::AcqRel);
        while self.there.load(Ordering::Acquire) < self.members.threads {
            waited += 1;
            if waited % PATIENCE == 0 {
                // If there are more threads than cores, a thread that hasn't
                // arrived yet needs this core.
                thread::yield_now();
            }
        }
    }
}
