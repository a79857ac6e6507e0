//! A socket, and asynchronous operations on it.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::task::{ready, Context, Poll};

use mio::event::Source;
use mio::{Interest, Token};

use crate::current;
use crate::reactor::Handle;
use crate::sockets::{lock, Sides};

/// A socket that registers with the reactor when an operation would block for
/// the first time.
pub(crate) struct Socket<S: Source> {
    pub(crate) inner: S,
    registration: Option<Registration>,
}

struct Registration {
    handle: Arc<Handle>,
    token: Token,
    sides: Arc<Sides>,
}

impl<S: Source> Socket<S> {
    /// Wraps a socket, which must be in nonblocking mode.
    pub(crate) fn new(inner: S) -> Self {
        Socket { inner, registration: None }
    }

    /// Repeats `operation` whenever the socket is ready, until it doesn't
    /// block. `emptied` returns true for a result after which the next
    /// operation would block. This saves a system call.
    ///
    /// # Errors
    ///
    /// Errors of the operation. If it would block, also errors of registering
    /// the socket: this thread runs no tasks, or the reactor takes no more
    /// sockets.
    pub(crate) fn poll<T>(
        &mut self,
        side: usize,
        cx: &mut Context<'_>,
        mut operation: impl FnMut(&S) -> io::Result<T>,
        emptied: impl Fn(&T) -> bool,
    ) -> Poll<io::Result<T>> {
        loop {
            let Some(registration) = &self.registration else {
                match operation(&self.inner) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        self.register()?;
                        continue;
                    }
                    result => return Poll::Ready(result),
                }
            };
            let side = &registration.sides[side];
            let seen = ready!(lock(side).poll_ready(cx));
            match operation(&self.inner) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    lock(side).blocked(seen);
                }
                Ok(value) if emptied(&value) => {
                    lock(side).emptied(seen);
                    return Poll::Ready(Ok(value));
                }
                result => return Poll::Ready(result),
            }
        }
    }

    fn register(&mut self) -> io::Result<()> {
        let handle = current::reactor()?;
        let sides = Arc::<Sides>::default();
        let token = handle.sockets.insert(Arc::clone(&sides));
        let both = Interest::READABLE | Interest::WRITABLE;
        let registered = handle.registry.register(&mut self.inner, token, both);
        if let Err(error) = registered {
            handle.sockets.remove(token);
            return Err(error);
        }
        self.registration = Some(Registration { handle, token, sides });
        Ok(())
    }
}

impl<S: Source> Drop for Socket<S> {
    fn drop(&mut self) {
        if let Some(Registration { handle, token, .. }) = &self.registration {
            // Deregistering fails only if the socket isn't registered.
            // Closing the socket deregisters it in any case.
            let _ = handle.registry.deregister(&mut self.inner);
            handle.sockets.remove(*token);
        }
    }
}
