//! Dedicated threads with one runtime each. They live as long as the thread that started them.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;

use crate::reason::{not_built, panicked};
use crate::runtime::Runtime;

/// Describes a runtime that runs on a dedicated thread. `start` has to call [`start()`].
pub(crate) const fn runtime<T: Send + 'static>(
    name: &'static str,
    start: fn(&'static str) -> Result<(), String>,
) -> Runtime<T> {
    Runtime { name, has_one_thread: true, start, run }
}

/// A long-lived thread with a runtime, which runs tasks of the type `T`.
struct Dedicated<T> {
    tasks: mpsc::Sender<T>,
    outcomes: mpsc::Receiver<thread::Result<()>>,
}

thread_local! {
    /// The dedicated threads that this thread has started, by the names of their runtimes. Each
    /// value is a `Dedicated<T>`.
    static THREADS: RefCell<HashMap<&'static str, Box<dyn Any>>> = RefCell::default();
}

/// Starts a thread for the runtime `name`, unless there is one already. `build` creates the
/// runtime on that thread.
pub(crate) fn start<T, Run>(
    name: &'static str,
    build: impl FnOnce() -> Result<Run, String> + Send + 'static,
) -> Result<(), String>
where
    T: Send + 'static,
    Run: FnMut(T),
{
    if THREADS.with_borrow(|threads| threads.contains_key(name)) {
        return Ok(());
    }
    let (tasks, to_run) = mpsc::channel();
    let (done, outcomes) = mpsc::channel();
    let (says, ready) = mpsc::channel();
    let body = move || {
        // Glommio panics if it can't create a ring.
        let built =
            catch_unwind(AssertUnwindSafe(build)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        let mut run = match built {
            Ok(run) => run,
            Err(reason) => return drop(says.send(Err(reason))),
        };
        drop(says.send(Ok(())));
        // The loop ends when the thread that started this one exits and closes the channel.
        for task in to_run {
            let outcome = catch_unwind(AssertUnwindSafe(|| run(task)));
            let go_on = outcome.is_ok();
            drop(done.send(outcome));
            if !go_on {
                return;
            }
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(body).map_err(not_built)?;
    ready.recv().unwrap_or_else(|_| Err(not_built("its thread is gone")))?;
    let thread: Box<dyn Any> = Box::new(Dedicated::<T> { tasks, outcomes });
    THREADS.with_borrow_mut(|threads| threads.insert(name, thread));
    Ok(())
}

/// Runs a task on the dedicated thread of the runtime `name`. If the task panics, the panic
/// resumes in the caller, and the next task gets a new runtime.
fn run<T: Send + 'static>(name: &'static str, task: T) {
    let outcome = THREADS.with_borrow(|threads| {
        let thread = threads.get(name)?.downcast_ref::<Dedicated<T>>()?;
        drop(thread.tasks.send(task));
        thread.outcomes.recv().ok()
    });
    if let Some(Ok(())) = outcome {
        return;
    }
    THREADS.with_borrow_mut(|threads| threads.remove(name));
    match outcome {
        Some(Err(panic)) => resume_unwind(panic),
        _ => panic!("{name}'s thread is gone"),
    }
}
