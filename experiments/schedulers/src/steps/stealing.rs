//! Step 4: several workers. Each worker is a thread with its own queue and
//! reactor. A worker without tasks steals some from another.

use std::cell::OnceCell;
use std::future::{poll_fn, Future};
use std::io::{self, ErrorKind, Read, Write};
use std::iter;
use std::net::SocketAddr;
use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use async_task::{Runnable, Task};
use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use mio::event::Source;
use mio::{Events, Interest, Registry, Token};
use slab::Slab;

/// The token of the event with which another thread reports a queued task.
const PUSHED: Token = Token(usize::MAX);

/// The number of polls after which a worker asks the kernel for events, even
/// if it still has tasks.
const POLLS_BETWEEN_LOOKS: u32 = 61;

struct Shared {
    /// The tasks that threads other than workers have spawned or woken.
    injector: Injector<Runnable>,
    workers: Vec<Neighbour>,
    done: AtomicBool,
}

/// The part of a worker that other workers use.
struct Neighbour {
    stealer: Stealer<Runnable>,
    asleep: AtomicBool,
    /// Interrupts the worker's current sleep in its reactor or, if there is
    /// none, the next one.
    waker: mio::Waker,
    sockets: Arc<Sockets>,
}

/// The part of a worker that only its own thread uses.
struct Here {
    tasks: Worker<Runnable>,
    index: usize,
    shared: Arc<Shared>,
}

thread_local! {
    static HERE: OnceCell<Here> = const { OnceCell::new() };
}

impl Shared {
    /// Queues a task. If the calling thread is a worker, the task goes to its
    /// own queue; otherwise, to the shared queue.
    fn push(self: &Arc<Self>, task: Runnable) {
        HERE.with(|here| match here.get() {
            Some(here) if Arc::ptr_eq(&here.shared, self) => {
                // If the queue was empty, this worker will soon run the task
                // itself, so no other worker is woken.
                let is_first = here.tasks.is_empty();
                here.tasks.push(task);
                if !is_first {
                    self.wake_one();
                }
            }
            _ => {
                self.injector.push(task);
                self.wake_one();
            }
        });
    }

    /// Wakes a sleeping worker. If a worker is just falling asleep, either
    /// this thread sees that it sleeps, or the worker sees the new task.
    fn wake_one(&self) {
        fence(Ordering::SeqCst);
        let sleeper = self.workers.iter().find(|worker| {
            worker.asleep.load(Ordering::SeqCst)
                && worker.asleep.swap(false, Ordering::SeqCst)
        });
        if let Some(worker) = sleeper {
            worker.waker.wake().unwrap();
        }
    }

    fn has_tasks(&self) -> bool {
        !self.injector.is_empty()
            || self.workers.iter().any(|worker| !worker.stealer.is_empty())
    }
}

impl Here {
    /// Returns the next task: the worker's own, or one stolen from another
    /// worker.
    fn next(&self) -> Option<Runnable> {
        let Shared { injector, workers, .. } = &*self.shared;
        let (before, after) = workers.split_at(self.index);
        let steal = || {
            injector.steal_batch_and_pop(&self.tasks).or_else(|| {
                let victims = after[1..].iter().chain(before);
                victims
                    .map(|it| it.stealer.steal_batch_and_pop(&self.tasks))
                    .collect()
            })
        };
        self.tasks.pop().or_else(|| {
            // Retries if another thread took a task at the same moment.
            iter::repeat_with(steal).find(|it| !it.is_retry())?.success()
        })
    }

    fn run(&self, reactor: &mut Reactor) {
        let me = &self.shared.workers[self.index];
        let mut polls = 0u32;
        while !self.shared.done.load(Ordering::SeqCst) {
            if let Some(task) = self.next() {
                task.run();
                polls += 1;
                if polls.is_multiple_of(POLLS_BETWEEN_LOOKS) {
                    reactor.wait(Some(Duration::ZERO));
                    reactor.dispatch(&me.sockets);
                    self.take_in();
                }
            } else {
                me.asleep.store(true, Ordering::SeqCst);
                fence(Ordering::SeqCst);
                if !self.shared.has_tasks() {
                    reactor.wait(None);
                }
                me.asleep.store(false, Ordering::SeqCst);
                reactor.dispatch(&me.sockets);
            }
        }
    }

    /// Moves tasks woken by other threads to the end of the worker's own
    /// queue.
    fn take_in(&self) {
        let injector = &self.shared.injector;
        while let Steal::Retry = injector.steal_batch(&self.tasks) {}
    }
}

/// Turns a future into a task, and queues it.
///
/// # Panics
///
/// If the calling thread is no worker.
pub fn spawn<F>(future: F) -> Task<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    HERE.with(|here| {
        let here = here.get().expect("a task is spawned by another");
        spawn_in(&here.shared, future)
    })
}

fn spawn_in<F>(shared: &Arc<Shared>, future: F) -> Task<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let shared = Arc::clone(shared);
    let schedule = move |task| shared.push(task);
    let (runnable, task) = async_task::spawn(future, schedule);
    runnable.schedule();
    task
}

/// Runs `future`, and all tasks that it spawns, on `workers` workers. Returns
/// once `future` has finished. Tasks that haven't finished by then never do.
///
/// # Errors
///
/// If no file descriptors are left for the reactors.
///
/// # Panics
///
/// If a task panics, which ends its worker, or if `workers` is 0.
pub fn block_on<F>(workers: usize, future: F) -> io::Result<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    assert!(workers > 0, "a task needs a worker");
    let mut reactors = Vec::new();
    let mut queues = Vec::new();
    let mut neighbours = Vec::new();
    for _ in 0..workers {
        let poll = mio::Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let tasks = Worker::new_fifo();
        neighbours.push(Neighbour {
            stealer: tasks.stealer(),
            asleep: AtomicBool::new(false),
            waker: mio::Waker::new(&registry, PUSHED)?,
            sockets: Arc::new(Sockets { registry, waiting: Mutex::default() }),
        });
        queues.push(tasks);
        reactors.push(Reactor { poll, events: Events::with_capacity(1024) });
    }
    let shared = Arc::new(Shared {
        injector: Injector::new(),
        workers: neighbours,
        done: AtomicBool::new(false),
    });

    let last = Last(Arc::clone(&shared));
    let main = spawn_in(&shared, async move {
        let _last = last;
        future.await
    });
    thread::scope(|scope| {
        let threads = iter::zip(queues, reactors).enumerate();
        for (index, (tasks, mut reactor)) in threads {
            let here = Here { tasks, index, shared: Arc::clone(&shared) };
            scope.spawn(move || {
                HERE.with(|cell| {
                    cell.get_or_init(|| here).run(&mut reactor);
                });
            });
        }
    });
    Ok(futures_lite::future::block_on(main))
}

/// Tells the workers to end when dropped, even while a panic unwinds.
struct Last(Arc<Shared>);

impl Drop for Last {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::SeqCst);
        for worker in &self.0.workers {
            worker.waker.wake().unwrap();
        }
    }
}

/// The registered sockets. Each has a waker for the task that waits to read,
/// and one for the task that waits to write.
struct Sockets {
    registry: Registry,
    waiting: Mutex<Slab<[Option<Waker>; 2]>>,
}

const READ: usize = 0;
const WRITE: usize = 1;

struct Reactor {
    poll: mio::Poll,
    events: Events,
}

impl Reactor {
    /// Asks the kernel which sockets are ready. Without a timeout, sleeps
    /// until a socket is ready or a task is queued.
    fn wait(&mut self, timeout: Option<Duration>) {
        match self.poll.poll(&mut self.events, timeout) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.events.clear();
            }
            asked => asked.unwrap(),
        }
    }

    fn dispatch(&self, sockets: &Sockets) {
        for event in &self.events {
            let mut waiting = sockets.waiting.lock().unwrap();
            let Some(tasks) = waiting.get_mut(event.token().0) else {
                continue;
            };
            let closed = event.is_read_closed() || event.is_error();
            let read = event.is_readable() || closed;
            let write = event.is_writable() || event.is_error();
            let read = tasks[READ].take_if(|_| read);
            let write = tasks[WRITE].take_if(|_| write);
            drop(waiting);
            read.into_iter().chain(write).for_each(Waker::wake);
        }
    }
}

struct Socket<S: Source> {
    inner: S,
    key: usize,
    sockets: Arc<Sockets>,
}

impl<S: Source> Socket<S> {
    fn new(inner: S) -> io::Result<Self> {
        let sockets = HERE.with(|here| {
            let here = here.get().expect("sockets are for tasks");
            Arc::clone(&here.shared.workers[here.index].sockets)
        });
        let key = sockets.waiting.lock().unwrap().insert([None, None]);
        let mut socket = Socket { inner, key, sockets };
        let both = Interest::READABLE | Interest::WRITABLE;
        let registry = &socket.sockets.registry;
        registry.register(&mut socket.inner, Token(key), both)?;
        Ok(socket)
    }

    /// Tries `operation`, and again each time the kernel reports the socket
    /// as ready.
    async fn when_ready<T>(
        &mut self,
        side: usize,
        mut operation: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        let blocks = |error: &io::Error| error.kind() == ErrorKind::WouldBlock;
        poll_fn(|cx| {
            let first = operation(&mut self.inner);
            if !first.as_ref().is_err_and(blocks) {
                return Poll::Ready(first);
            }
            let waker = cx.waker().clone();
            self.sockets.waiting.lock().unwrap()[self.key][side] = Some(waker);
            // Another worker may have fetched the kernel's report before the
            // waker was stored, so the operation is tried once more.
            let second = operation(&mut self.inner);
            if !second.as_ref().is_err_and(blocks) {
                return Poll::Ready(second);
            }
            Poll::Pending
        })
        .await
    }
}

impl<S: Source> Drop for Socket<S> {
    fn drop(&mut self) {
        // Deregistering fails only if the socket isn't registered. Closing
        // the socket deregisters it in any case.
        let _ = self.sockets.registry.deregister(&mut self.inner);
        let tasks = self.sockets.waiting.lock().unwrap().remove(self.key);
        drop(tasks);
    }
}

/// A TCP socket that accepts connections.
pub struct TcpListener(Socket<mio::net::TcpListener>);

impl TcpListener {
    /// Listens on an address.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = mio::net::TcpListener::bind(address)?;
        Ok(TcpListener(Socket::new(listener)?))
    }

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn accept(&mut self) -> io::Result<TcpStream> {
        let (stream, _) =
            self.0.when_ready(READ, |listener| listener.accept()).await?;
        Ok(TcpStream(Socket::new(stream)?))
    }

    /// Returns the local address of this listener.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.inner.local_addr()
    }
}

/// A TCP connection.
pub struct TcpStream(Socket<mio::net::TcpStream>);

impl TcpStream {
    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = mio::net::TcpStream::connect(address)?;
        let mut socket = Socket::new(stream)?;
        socket
            .when_ready(WRITE, |stream| match stream.take_error()? {
                Some(error) => Err(error),
                None => match stream.peer_addr() {
                    Err(error) if error.kind() == ErrorKind::NotConnected => {
                        Err(ErrorKind::WouldBlock.into())
                    }
                    peer => peer.map(drop),
                },
            })
            .await?;
        Ok(TcpStream(socket))
    }

    /// Reads the available bytes. Returns 0 at the end of the stream.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.when_ready(READ, |stream| stream.read(buffer)).await
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written =
                self.0.when_ready(WRITE, |stream| stream.write(bytes)).await?;
            bytes = &bytes[written..];
        }
        Ok(())
    }

    /// Sets whether small messages are sent immediately (`TCP_NODELAY`).
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()> {
        self.0.inner.set_nodelay(nodelay)
    }
}
