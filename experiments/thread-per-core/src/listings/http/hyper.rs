//! A minimal HTTP server with Hyper, and a Tokio task per connection.

use std::convert::Infallible;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// Accepts connections, counts them in `accepted`, and answers requests on
/// each. Runs on either flavour of the runtime.
pub async fn serve(listener: TcpListener, accepted: &AtomicU64) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                // An error ends only this connection.
                tokio::spawn(converse(connection));
            }
            // Most likely too many files are open. An immediate retry would
            // fail, too.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn converse(
    connection: TcpStream,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    connection.set_nodelay(true)?;
    http1::Builder::new()
        // The timer makes Hyper disconnect clients that take longer than 30 s
        // to send the head of a request.
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(connection), service_fn(hello))
        .await?;
    Ok(())
}

async fn hello(
    _: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::new(Bytes::from_static(b"Hello, world!"))))
}
