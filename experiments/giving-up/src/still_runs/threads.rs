//! Gives up on work that runs in another thread. The thread stops when it
//! checks a flag, or when its read ends.

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;

use super::job::{check, compute, watched, Took, AFTER, JOB, STEP};

pub(super) fn flag() -> Took {
    let (owned, watcher) = watched();
    let stop = Arc::new(AtomicBool::new(false));
    let is_stopped = stop.clone();
    thread::spawn(move || {
        owned.begin();
        for _ in 0..JOB.as_millis() / STEP.as_millis() {
            if is_stopped.load(Ordering::Relaxed) {
                return;
            }
            compute(STEP);
        }
    });
    watcher.gives_up(|| stop.store(true, Ordering::Relaxed))
}

/// Gives up on a thread that waits in a read, by shutting its socket down.
pub(super) fn shutdown() -> Took {
    let (owned, watcher) = watched();
    let (mut stream, _silent) = connected()?;
    let handle = stream.try_clone().map_err(|error| error.to_string())?;
    let reader = thread::spawn(move || {
        owned.begin();
        stream.read(&mut [0; 8])
    });
    let took = watcher.gives_up(|| {
        // Shutting down succeeds, since both ends of the connection still
        // exist.
        let _ = handle.shutdown(Shutdown::Both);
    })?;
    let read = reader.join().map_err(|_| "it panicked".to_owned())?;
    check(matches!(read, Ok(0)), "the read did not end")?;
    Ok(took)
}

/// Gives up on a read by means of a deadline: the kernel ends the read.
/// Returns how long after the deadline the thread finishes.
pub(super) fn read_deadline() -> Took {
    let (owned, watcher) = watched();
    let (mut stream, _silent) = connected()?;
    let limited = stream.set_read_timeout(Some(AFTER));
    limited.map_err(|error| error.to_string())?;
    let reader = thread::spawn(move || {
        owned.begin();
        stream.read(&mut [0; 8])
    });
    let took = watcher.outlasts_timer()?;
    let read = reader.join().map_err(|_| "it panicked".to_owned())?;
    let has_passed = read.is_err_and(|e| e.kind() == ErrorKind::WouldBlock);
    check(has_passed, "the read did not end by its deadline")?;
    Ok(took)
}

pub(super) fn connected() -> Result<(TcpStream, TcpStream), String> {
    let connect = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let stream = TcpStream::connect(listener.local_addr()?)?;
        Ok::<_, std::io::Error>((stream, listener.accept()?.0))
    };
    connect().map_err(|error| format!("a connection: {error}"))
}
