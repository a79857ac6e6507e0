//! Servers with axum and hyper on Tokio.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{header, Response, StatusCode};
use axum::routing::post;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use crate::exchange;
use crate::listener::{listen, on_each_core, Ready};
use crate::listings::order::{self, Refusal};
use crate::path::{fixed, made_up, Path, LONGEST_BODY};
use crate::store::FromTask;

/// A function that creates a store of orders, called once inside each
/// runtime.
pub(super) type MakeStore<'a> =
    dyn Fn() -> Result<FromTask, String> + Sync + 'a;

/// Returns the HTTP service, with a handler for each path.
fn router(store: FromTask) -> Router {
    Router::new()
        .route(Path::Fixed.text(), post(|_: Bytes| async { created(fixed()) }))
        .route(Path::Json.text(), post(json))
        .route(Path::Orders.text(), post(place))
        .route(Path::SlowOrders.text(), post(place_slowly))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(store)
}

async fn json(body: Bytes) -> Response<Body> {
    answer(order::read(&body).map(|order| {
        let sold = made_up(&order);
        order::receipt(&order, &sold)
    }))
}

async fn place(State(store): State<FromTask>, body: Bytes) -> Response<Body> {
    answer(sell(&store, &body, false).await)
}

async fn place_slowly(
    State(store): State<FromTask>,
    body: Bytes,
) -> Response<Body> {
    answer(sell(&store, &body, true).await)
}

async fn sell(
    store: &FromTask,
    body: &[u8],
    is_slow: bool,
) -> Result<Vec<u8>, Refusal> {
    let (order, sold) = store.place(order::read(body)?, is_slow).await?;
    Ok(order::receipt(&order, &sold))
}

fn answer(receipt: Result<Vec<u8>, Refusal>) -> Response<Body> {
    receipt.map_or_else(
        |refusal| {
            let mut response = Response::new(Body::empty());
            *response.status_mut() =
                StatusCode::from_u16(refusal.status()).expect("it is a status");
            response
        },
        created,
    )
}

fn created(receipt: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(receipt));
    *response.status_mut() = StatusCode::CREATED;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Serves on one Tokio runtime with one worker per core.
pub(super) fn on_all_cores(
    address: SocketAddr,
    make_store: &MakeStore<'_>,
    tls: Option<TlsAcceptor>,
    ready: &Ready,
) -> Result<(), String> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    serve_orders(&in_words(runtime)?, address, make_store, tls, ready)
}

/// Serves on one Tokio runtime per core, each with its own listener and
/// store.
pub(super) fn on_one_per_core(
    address: SocketAddr,
    make_store: &MakeStore<'_>,
    tls: &Option<TlsAcceptor>,
    ready: &Ready,
) -> Result<(), String> {
    on_each_core(|| {
        let runtime = Builder::new_current_thread().enable_all().build();
        let tls = tls.clone();
        serve_orders(&in_words(runtime)?, address, make_store, tls, ready)
    })
}

fn in_words<T>(runtime: io::Result<T>) -> Result<T, String> {
    runtime.map_err(|error| format!("no runtime: {error}"))
}

fn serve_orders(
    runtime: &Runtime,
    address: SocketAddr,
    make_store: &MakeStore<'_>,
    tls: Option<TlsAcceptor>,
    ready: &Ready,
) -> Result<(), String> {
    // The pool of database connections has to be created inside the runtime.
    let _inside = runtime.enter();
    let router = router(make_store()?);
    serve(runtime, address, ready, move |stream| {
        let (router, tls) = (router.clone(), tls.clone());
        async move {
            match tls {
                None => converse(stream, router).await,
                Some(tls) => {
                    // If the handshake fails, the connection is closed.
                    if let Ok(stream) = tls.accept(stream).await {
                        converse(stream, router).await;
                    }
                }
            }
        }
    })
}

/// Serves without HTTP: sends the same bytes each time `request_bytes` bytes
/// have arrived.
pub(super) fn bytes_on_all_cores(
    address: SocketAddr,
    request_bytes: usize,
    ready: &Ready,
) -> Result<(), String> {
    let runtime = in_words(Builder::new_multi_thread().enable_all().build())?;
    let mut answer = Vec::new();
    exchange::write(201, &fixed(), &mut answer);
    let answer: Arc<[u8]> = answer.into();
    serve(&runtime, address, ready, move |mut stream| {
        let answer = Arc::clone(&answer);
        async move {
            let mut request = vec![0; request_bytes];
            while stream.read_exact(&mut request).await.is_ok()
                && stream.write_all(&answer).await.is_ok()
            {}
        }
    })
}

/// Accepts connections, and spawns a task that runs `converse` for each.
fn serve<Conversing>(
    runtime: &Runtime,
    address: SocketAddr,
    ready: &Ready,
    converse: impl Fn(TcpStream) -> Conversing + Send + 'static,
) -> Result<(), String>
where
    Conversing: Future<Output = ()> + Send + 'static,
{
    let listener = listen(address)?;
    let ready = ready.clone();
    // Accepts connections on a worker, rather than on the thread that waits
    // in `block_on`.
    let serving = runtime.spawn(async move {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        ready.say();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    stream.set_nodelay(true)?;
                    tokio::spawn(converse(stream));
                }
                // Most likely, accepting failed because too many files are
                // open. Waits, because an immediate retry would fail, too.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    });
    let served: io::Result<()> =
        runtime.block_on(serving).map_err(|error| error.to_string())?;
    served.map_err(|error| error.to_string())
}

/// Answers the requests on a connection. An error ends only this connection.
async fn converse<Stream>(stream: Stream, router: Router)
where
    Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| router.clone().call(request));
    let served = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
    drop(served);
}
