//! The client at the other end of every connection: a plain thread that sends
//! a request, waits for the reply, and only then sends the next. A process
//! has one such thread and one connection, for all servers: the cost of
//! opening connections is another question, and ports are limited.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use super::conversation::Conversation;

/// A conversation for the client, and the channel for its result: how long
/// the conversation took, and the number of correct replies.
struct Call {
    conversation: Arc<Conversation>,
    outcome: mpsc::Sender<(Duration, u64)>,
}

/// The client's thread, and the server's end of the connection.
struct Client {
    calls: mpsc::Sender<Call>,
    connection: TcpStream,
}

static CLIENT: LazyLock<io::Result<Client>> = LazyLock::new(Client::start);

/// A conversation that the client has begun: the connection to serve, and the
/// receiver of the result, which arrives before the client's `quit`.
pub(super) struct Begun {
    pub(super) connection: TcpStream,
    pub(super) outcome: mpsc::Receiver<(Duration, u64)>,
}

pub(super) fn begin(conversation: Arc<Conversation>) -> io::Result<Begun> {
    let client = CLIENT.as_ref().map_err(|error| error.kind())?;
    let connection = client.connection.try_clone()?;
    let (sender, outcome) = mpsc::channel();
    let call = Call { conversation, outcome: sender };
    client.calls.send(call).map_err(io::Error::other)?;
    Ok(Begun { connection, outcome })
}

impl Client {
    fn start() -> io::Result<Client> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let own_end = TcpStream::connect(listener.local_addr()?)?;
        let (connection, _) = listener.accept()?;
        own_end.set_nodelay(true)?;
        connection.set_nodelay(true)?;
        let (calls, to_do) = mpsc::channel::<Call>();
        let body = move || {
            let mut connection = BufReader::new(own_end);
            for Call { conversation, outcome } in to_do {
                let asked = ask(&mut connection, &conversation);
                let asked = asked.expect("the connection is served");
                // The result is sent before `quit`, so that the server
                // doesn't have to wait for it after reading `quit`.
                let _ = outcome.send(asked);
                let quit = connection.get_mut().write_all(b"quit\n");
                quit.expect("the connection is served");
            }
        };
        thread::Builder::new().name("client".to_owned()).spawn(body)?;
        Ok(Client { calls, connection })
    }
}

/// Sends each request after the reply to the previous one has arrived, and
/// counts the correct replies. Allocates nothing except its buffer.
fn ask(
    connection: &mut BufReader<TcpStream>,
    conversation: &Conversation,
) -> io::Result<(Duration, u64)> {
    let (mut reply, mut right) = (String::with_capacity(256), 0);
    let start = Instant::now();
    for (request, expected) in conversation.lines() {
        connection.get_mut().write_all(request.as_bytes())?;
        reply.clear();
        connection.read_line(&mut reply)?;
        right += u64::from(reply == expected);
    }
    Ok((start.elapsed(), right))
}
