//! The services to which the clients of experiment `price` send requests.

use std::future::{ready, Future};
use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// A service that answers each request by returning the number in it.
pub(super) trait Service: Send + Sized + 'static {
    /// The service's name, which is the value of the parameter `kernel`.
    const NAME: &'static str;

    fn start() -> impl Future<Output = Self> + Send;

    fn ask(&mut self, id: u64) -> impl Future<Output = u64> + Send;
}

/// No service: the answer is ready at once, so the client never waits.
pub(super) struct Ready;

impl Service for Ready {
    const NAME: &'static str = "ready";

    async fn start() -> Self {
        Ready
    }

    fn ask(&mut self, id: u64) -> impl Future<Output = u64> + Send {
        ready(id)
    }
}

/// A service in another task, which sends each answer through a oneshot
/// channel. The task ends when the channel of its requests is closed.
pub(super) struct ToTask(mpsc::UnboundedSender<(u64, oneshot::Sender<u64>)>);

impl Service for ToTask {
    const NAME: &'static str = "oneshot";

    async fn start() -> Self {
        let (requests, mut inbox) =
            mpsc::unbounded_channel::<(u64, oneshot::Sender<u64>)>();
        tokio::spawn(async move {
            while let Some((id, answer)) = inbox.recv().await {
                // An error means that the client has given up, so the answer
                // is dropped.
                let _ = answer.send(id);
            }
        });
        ToTask(requests)
    }

    async fn ask(&mut self, id: u64) -> u64 {
        let (answer, answered) = oneshot::channel();
        self.0.send((id, answer)).expect("the task lives");
        answered.await.expect("it answers")
    }
}

/// A service in another task, which is connected to the client by a TCP
/// connection over loopback.
pub(super) struct OverSocket(TcpStream);

impl Service for OverSocket {
    const NAME: &'static str = "socket";

    async fn start() -> Self {
        let any_port = (Ipv4Addr::LOCALHOST, 0);
        let listener =
            TcpListener::bind(any_port).await.expect("loopback has a port");
        let address = listener.local_addr().expect("it is bound");
        let stream = TcpStream::connect(address).await.expect("it listens");
        let (mut peer, _) = listener.accept().await.expect("it is connected");
        for end in [&stream, &peer] {
            end.set_nodelay(true).expect("it is TCP");
        }
        tokio::spawn(async move {
            let mut message = [0; 8];
            // The loop ends when the client closes the connection.
            while peer.read_exact(&mut message).await.is_ok() {
                peer.write_all(&message).await.expect("the client reads");
            }
        });
        OverSocket(stream)
    }

    async fn ask(&mut self, id: u64) -> u64 {
        let mut message = id.to_le_bytes();
        self.0.write_all(&message).await.expect("the server reads");
        self.0.read_exact(&mut message).await.expect("it answers");
        u64::from_le_bytes(message)
    }
}
