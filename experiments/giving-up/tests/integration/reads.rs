//! Tests whether bytes are lost if a read is dropped after they have arrived.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::pin::pin;
use std::sync::mpsc::{channel, Sender};
use std::time::Duration;

use futures_lite::future::poll_once;
use runtimes::{compio, glommio, monoio, smol, tokio};

/// Long enough for a read to reach the kernel, or for a byte to arrive.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

/// Polls a read, lets a byte (1) arrive while other tasks use the thread,
/// drops the read, and reads again. The second read returns 1 if nothing was
/// lost, and otherwise the next byte, 2.
macro_rules! first_byte {
    ($stream:expr, $peer:expr, $found:expr, $sleep:path, $read:expr) => {{
        {
            let mut read = pin!($read(&mut $stream));
            assert_eq!(poll_once(read.as_mut()).await, None);
            let _ = $sleep(LONG_ENOUGH).await;
            $peer.write_all(&[1]).unwrap();
            let _ = $sleep(LONG_ENOUGH).await;
        }
        $peer.write_all(&[2]).unwrap();
        $found.send($read(&mut $stream).await).unwrap();
    }};
}

/// Calls `run` with the two ends of a connection and a sender. `run` uses the
/// sender to report the byte that its second read returned. Returns that
/// byte.
fn found(
    run: impl FnOnce(TcpStream, TcpStream, Sender<u8>),
) -> Result<u8, std::sync::mpsc::RecvError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (peer, _) = listener.accept().unwrap();
    stream.set_nonblocking(true).unwrap();
    peer.set_nodelay(true).unwrap();
    let (tell, found) = channel();
    run(stream, peer, tell);
    found.recv()
}

#[test]
fn where_readiness_is_awaited_nothing_is_lost() {
    let on_tokio = found(|stream, mut peer, tell| {
        tokio::CURRENT_THREAD.run(Box::pin(async move {
            let mut stream = ::tokio::net::TcpStream::from_std(stream).unwrap();
            async fn read(stream: &mut ::tokio::net::TcpStream) -> u8 {
                ::tokio::io::AsyncReadExt::read_u8(stream).await.unwrap()
            }
            first_byte!(stream, peer, tell, ::tokio::time::sleep, read);
        }));
    });
    assert_eq!(on_tokio, Ok(1));
    let on_smol = found(|stream, mut peer, tell| {
        smol::GLOBAL.run(Box::pin(async move {
            let mut stream = ::smol::net::TcpStream::try_from(stream).unwrap();
            async fn read(stream: &mut ::smol::net::TcpStream) -> u8 {
                let mut byte = [0];
                ::smol::io::AsyncReadExt::read_exact(stream, &mut byte)
                    .await
                    .unwrap();
                byte[0]
            }
            first_byte!(stream, peer, tell, ::smol::Timer::after, read);
        }));
    });
    assert_eq!(on_smol, Ok(1));
}

/// Reads a byte. Monoio's read owns its buffer, so dropping the read loses
/// the buffer.
async fn read_of_monoio(stream: &mut ::monoio::net::TcpStream) -> u8 {
    use ::monoio::io::AsyncReadRent;
    let (read, buffer) = stream.read(vec![0; 1]).await;
    assert_eq!(read.unwrap(), 1);
    buffer[0]
}

fn on_monoio(
    runtime: runtimes::LocalRuntime,
) -> Result<u8, std::sync::mpsc::RecvError> {
    found(|stream, mut peer, tell| {
        runtime.run(Box::new(move || {
            Box::pin(async move {
                let stream = ::monoio::net::TcpStream::from_std(stream);
                let mut stream = stream.unwrap();
                let read = read_of_monoio;
                first_byte!(stream, peer, tell, ::monoio::time::sleep, read);
            })
        }));
    })
}

#[test]
fn monoio_loses_what_a_ring_has_read_and_epoll_has_not() {
    assert_eq!(on_monoio(monoio::EPOLL), Ok(1));
    if let Err(reason) = monoio::IO_URING.start() {
        println!("cannot run here: {reason}");
        return;
    }
    assert_eq!(on_monoio(monoio::IO_URING), Ok(2));
}

#[test]
fn compio_loses_what_a_ring_has_read() {
    if let Err(reason) = compio::DEFAULT.start() {
        println!("cannot run here: {reason}");
        return;
    }
    let on_compio = found(|stream, mut peer, tell| {
        compio::DEFAULT.run(Box::new(move || {
            Box::pin(async move {
                let stream = ::compio::net::TcpStream::from_std(stream);
                let mut stream = stream.unwrap();
                async fn read(stream: &mut ::compio::net::TcpStream) -> u8 {
                    use ::compio::io::AsyncRead;
                    let ::compio::BufResult(read, buffer) =
                        stream.read(vec![0; 1]).await;
                    assert_eq!(read.unwrap(), 1);
                    buffer[0]
                }
                first_byte!(stream, peer, tell, ::compio::time::sleep, read);
            })
        }));
    });
    assert_eq!(on_compio, Ok(2));
}

#[test]
fn glommio_keeps_a_read_in_its_stream() {
    if let Err(reason) = glommio::UNBOUND.start() {
        println!("cannot run here: {reason}");
        return;
    }
    let on_glommio = found(|stream, mut peer, tell| {
        glommio::UNBOUND.run(Box::new(move || {
            Box::pin(async move {
                use std::os::fd::{FromRawFd, IntoRawFd};
                let stream = stream.into_raw_fd();
                // SAFETY: the descriptor belongs to a connection, and is
                // owned by nothing else.
                let mut stream =
                    unsafe { ::glommio::net::TcpStream::from_raw_fd(stream) };
                async fn read(stream: &mut ::glommio::net::TcpStream) -> u8 {
                    let mut byte = [0];
                    ::smol::io::AsyncReadExt::read_exact(stream, &mut byte)
                        .await
                        .unwrap();
                    byte[0]
                }
                first_byte!(stream, peer, tell, ::glommio::timer::sleep, read);
            })
        }));
    });
    assert_eq!(on_glommio, Ok(1));
}
