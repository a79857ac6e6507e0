//! Step 3: a reactor. When the executor's thread is idle, it sleeps in the
//! kernel until a socket is ready, and then wakes the tasks that wait for the
//! socket.

use std::collections::VecDeque;
use std::future::{poll_fn, Future};
use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use async_task::{Runnable, Task};
use mio::event::Source;
use mio::{Events, Interest, Registry, Token};
use slab::Slab;

/// The token of the event with which another thread reports a queued task.
const PUSHED: Token = Token(usize::MAX);

/// The number of polls after which the thread asks the kernel for events,
/// even if tasks are ready.
const POLLS_BETWEEN_LOOKS: u32 = 61;

/// An executor with one thread, which sleeps in its reactor.
#[derive(Clone)]
pub struct Executor {
    queue: Arc<Queue>,
    sockets: Arc<Sockets>,
    reactor: Arc<Mutex<Reactor>>,
}

struct Queue {
    state: Mutex<State>,
    /// Interrupts the current sleep in the reactor or, if there is none, the
    /// next one.
    waker: mio::Waker,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Runnable>,
    /// True while the thread sleeps. If false, a push skips the system call
    /// that wakes the thread.
    asleep: bool,
}

impl Queue {
    fn push(&self, task: Runnable) {
        let mut state = self.state.lock().unwrap();
        state.tasks.push_back(task);
        if mem::take(&mut state.asleep) {
            self.waker.wake().unwrap();
        }
    }

    /// Returns the next task. If there is none, marks the thread as asleep,
    /// so that the next push wakes it.
    fn pop(&self) -> Option<Runnable> {
        let mut state = self.state.lock().unwrap();
        let task = state.tasks.pop_front();
        state.asleep = task.is_none();
        task
    }

    fn awake(&self) {
        self.state.lock().unwrap().asleep = false;
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

impl Executor {
    /// Creates an executor without tasks.
    ///
    /// # Errors
    ///
    /// If no file descriptors are left for its reactor.
    pub fn new() -> io::Result<Self> {
        let poll = mio::Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = mio::Waker::new(&registry, PUSHED)?;
        let reactor = Reactor { poll, events: Events::with_capacity(1024) };
        Ok(Executor {
            queue: Arc::new(Queue { state: Mutex::default(), waker }),
            sockets: Arc::new(Sockets { registry, waiting: Mutex::default() }),
            reactor: Arc::new(Mutex::new(reactor)),
        })
    }

    /// Turns a future into a task, and queues it.
    pub fn spawn<F>(&self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let queue = Arc::clone(&self.queue);
        let schedule = move |task| queue.push(task);
        let (runnable, task) = async_task::spawn(future, schedule);
        runnable.schedule();
        task
    }

    /// Spawns `future`, and polls tasks until it has finished. Only one
    /// thread at a time may call this.
    pub fn block_on<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let mut reactor = self.reactor.lock().unwrap();
        let main = self.spawn(future);
        let mut polls = 0u32;
        while !main.is_finished() {
            if let Some(task) = self.queue.pop() {
                task.run();
                polls += 1;
                if polls.is_multiple_of(POLLS_BETWEEN_LOOKS) {
                    reactor.wait(Some(Duration::ZERO));
                    reactor.dispatch(&self.sockets);
                }
            } else {
                reactor.wait(None);
                self.queue.awake();
                reactor.dispatch(&self.sockets);
            }
        }
        futures_lite::future::block_on(main)
    }

    /// Listens on an address.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub fn listen(&self, address: SocketAddr) -> io::Result<TcpListener> {
        let listener = mio::net::TcpListener::bind(address)?;
        Ok(TcpListener(Socket::new(listener, &self.sockets)?))
    }

    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let stream = mio::net::TcpStream::connect(address)?;
        let mut socket = Socket::new(stream, &self.sockets)?;
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
}

struct Socket<S: Source> {
    inner: S,
    key: usize,
    sockets: Arc<Sockets>,
}

impl<S: Source> Socket<S> {
    fn new(inner: S, sockets: &Arc<Sockets>) -> io::Result<Self> {
        let key = sockets.waiting.lock().unwrap().insert([None, None]);
        let mut socket = Socket { inner, key, sockets: Arc::clone(sockets) };
        let both = Interest::READABLE | Interest::WRITABLE;
        sockets.registry.register(&mut socket.inner, Token(key), both)?;
        Ok(socket)
    }

    /// Tries `operation`, and again each time the kernel reports the socket
    /// as ready.
    async fn when_ready<T>(
        &mut self,
        side: usize,
        mut operation: impl FnMut(&mut S) -> io::Result<T>,
    ) -> io::Result<T> {
        poll_fn(|cx| match operation(&mut self.inner) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                // The same thread polls tasks and asks the kernel for events,
                // so no report can arrive before the waker is stored.
                let mut waiting = self.sockets.waiting.lock().unwrap();
                waiting[self.key][side] = Some(cx.waker().clone());
                Poll::Pending
            }
            result => Poll::Ready(result),
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
    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// The system's errors.
    pub async fn accept(&mut self) -> io::Result<TcpStream> {
        let (stream, _) =
            self.0.when_ready(READ, |listener| listener.accept()).await?;
        Ok(TcpStream(Socket::new(stream, &self.0.sockets)?))
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
