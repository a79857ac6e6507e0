//! Servers with a client that disconnects while they are working on its
//! request.

use std::convert::Infallible;
use std::future::Future;
use std::io::Write;

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::Response;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::sleep;

use super::job::{compute, watched, Owned, Took, JOB};
use super::threads::connected;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Serves a request with hyper. The handler awaits a timer.
pub(super) fn hyper_waits() -> Took {
    asked(|stream, owned| {
        hyper(stream, owned, |owned| async move {
            owned.begin();
            sleep(JOB).await;
        })
    })
}

/// Serves a request with hyper. The handler computes without awaiting
/// anything.
pub(super) fn hyper_computes() -> Took {
    asked(|stream, owned| {
        hyper(stream, owned, |owned| async move {
            owned.begin();
            compute(JOB);
        })
    })
}

/// Serves a request with hyper. The handler awaits a spawned task, which
/// waits for a timer.
pub(super) fn hyper_spawned() -> Took {
    asked(|stream, owned| {
        hyper(stream, owned, |owned| async move {
            let job = tokio::spawn(async move {
                owned.begin();
                sleep(JOB).await;
            });
            // The task doesn't panic, so there is no error to handle.
            let _ = job.await;
        })
    })
}

/// Serves a request without hyper. Doesn't look at the socket while working,
/// so the disconnect goes unnoticed.
pub(super) fn looks_away() -> Took {
    asked(|mut stream, owned| async move {
        let mut request = [0; REQUEST.len()];
        if stream.read_exact(&mut request).await.is_ok() {
            owned.begin();
            sleep(JOB).await;
        }
    })
}

/// Serves one request with hyper, with `handle` as the handler.
async fn hyper<Handled>(
    stream: TcpStream,
    owned: Owned,
    handle: impl Fn(Owned) -> Handled + Send,
) where
    Handled: Future<Output = ()> + Send,
{
    let owned = std::sync::Mutex::new(Some(owned));
    let service = service_fn(|_| {
        let owned = owned.lock().expect("nobody panics").take();
        let handled = owned.map(&handle);
        async {
            if let Some(handled) = handled {
                handled.await;
            }
            Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new()))
        }
    });
    let io = TokioIo::new(stream);
    // An error means that the client has disconnected, as intended.
    let _ = http1::Builder::new().serve_connection(io, service).await;
}

/// Sends a request to a server, and disconnects while the server works.
/// Returns how long the server continued to work after that.
fn asked<Served>(serve: impl FnOnce(TcpStream, Owned) -> Served) -> Took
where
    Served: Future<Output = ()> + Send + 'static,
{
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let _inside = runtime.enter();
    let (owned, watcher) = watched();
    let (mut client, server) = connected()?;
    let asked = server
        .set_nonblocking(true)
        .and_then(|()| client.write_all(REQUEST))
        .and_then(|()| TcpStream::from_std(server));
    let stream = asked.map_err(|error| format!("the connection: {error}"))?;
    runtime.spawn(serve(stream, owned));
    watcher.gives_up(|| drop(client))
}
