//! Experiment `one-client`: how long one client, asleep or spinning, waits
//! for the answer of a server on another core.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;

use harness::{Body, Cell, Experiment};

use crate::echo::setting::{Cores, Setting};
use crate::echo::stated;
use crate::echo::visit::start;
use crate::serve::{servers, Running, Server};

pub(crate) const SERVERS: [&str; 4] =
    [QUICK, "tokio current_thread", "monoio epoll", "monoio io_uring"];

pub(crate) const QUICK: &str = "baseline, epoll";

const TRIPS: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// The client sleeps in `read` until the kernel wakes it.
    Asleep,
    /// The client calls `read` over and over, until the answer has arrived.
    Awake,
}

impl Waits {
    fn name(self) -> &'static str {
        match self {
            Waits::Asleep => "sleeps",
            Waits::Awake => "spins",
        }
    }
}

pub(crate) fn experiment(program: &Path) -> Experiment {
    let is_one = |server: &&Server| SERVERS.contains(&&*server.name());
    let cells = servers().iter().filter(is_one).flat_map(|server| {
        [Waits::Asleep, Waits::Awake].map(|waits| {
            let cell = cell(program, server, waits);
            if server.name() == QUICK {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("one-client", "time per message", "baseline").cells(cells)
}

pub(crate) fn cell(
    program: &Path,
    server: &'static Server,
    waits: Waits,
) -> Cell {
    let cores = Cores::Apart;
    let setting = Setting { connections: 1, ..Setting::centre(cores) };
    let path = program.to_owned();
    let body = Body::together(1, true, move || {
        let running = start(&path, server, cores)
            .unwrap_or_else(|reason| panic!("{reason}"));
        let client = Client::connect(running, setting.message_bytes, waits)
            .expect("it listens");
        let client = Mutex::new(client);
        let trips = move |_| {
            let mut client = client.lock().expect("one thread has it");
            let ask = |number| client.ask(number).expect("the server answers");
            (0..TRIPS).map(ask).sum()
        };
        (trips, |sum| sum)
    });
    let answer = TRIPS * (TRIPS - 1) / 2;
    let cell = Cell::new(server.contender, answer, body.for_each_visit());
    stated(cell.per(TRIPS), program, server, setting)
        .parameter("client", waits.name())
        .group(&server.name())
}

/// A client's connection to a server process. The process exits when the
/// client is dropped.
struct Client {
    stream: TcpStream,
    message: Vec<u8>,
    _server: Running,
}

impl Client {
    fn connect(
        server: Running,
        message_bytes: usize,
        waits: Waits,
    ) -> io::Result<Client> {
        let stream = TcpStream::connect(server.address())?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(waits == Waits::Awake)?;
        Ok(Client { stream, message: vec![0; message_bytes], _server: server })
    }

    /// Sends a message that contains `number`, and returns the number in the
    /// answer.
    fn ask(&mut self, number: u64) -> io::Result<u64> {
        let (first, rest) =
            self.message.split_first_chunk_mut().expect("it is longer");
        *first = number.to_le_bytes();
        rest.fill(1);
        // The message is so short that one call of `write` sends all of it,
        // even if the socket doesn't block.
        self.stream.write_all(&self.message)?;
        self.message.fill(0);
        let mut answered = 0;
        while answered < self.message.len() {
            match self.stream.read(&mut self.message[answered..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => answered += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        let (first, rest) =
            self.message.split_first_chunk().expect("it is longer");
        assert!(rest.iter().all(|&byte| byte == 1), "a byte is wrong");
        Ok(u64::from_le_bytes(*first))
    }
}
