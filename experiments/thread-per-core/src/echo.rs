//! Experiments `echo` and `round-trip`: what an echo server makes of a load, and how
//! long one client waits for it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;

use harness::{Body, Cell, Experiment, Placement};

use crate::serve::{servers, Running, Server};

mod setting;
mod visit;

use setting::{Cores, Setting};

/// The message of the centres.
const MESSAGE_BYTES: usize = 64;

/// So many round trips are an operation.
const TRIPS: u64 = 100;

/// The contenders at settings away from the centres: the kernel alone, and what the
/// published comparison and ours differ by.
const SWEPT: [&str; 5] = [
    "baseline, epoll",
    "tokio multi-thread",
    "tokio current_thread",
    "monoio epoll",
    "monoio io_uring",
];

/// At the centres, what a quick run measures.
const QUICK: [(Cores, &str); 6] = [
    (Cores::Apart, "baseline, epoll"),
    (Cores::Apart, "tokio multi-thread"),
    (Cores::Apart, "tokio current_thread"),
    (Cores::Apart, "monoio epoll"),
    (Cores::Shared, "tokio multi-thread, as published"),
    (Cores::Shared, "monoio fusion, as published"),
];

/// Closed loops: as many messages a second as a server and the load get through.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let apart =
        servers().iter().filter(|server| server.is_itself_on_one_core());
    let apart = apart.map(|server| (Setting::centre(Cores::Apart), server));
    let shared = servers().iter();
    let shared = shared.map(|server| (Setting::centre(Cores::Shared), server));
    let centres = apart.chain(shared).map(|(setting, server)| {
        let cell = throughput(program, server, setting);
        if QUICK.contains(&(setting.cores, &server.name())) {
            cell
        } else {
            cell.full_only()
        }
    });
    let swept = Setting::around(Cores::Apart).flat_map(|setting| {
        let servers = servers().iter();
        let servers = servers.filter(|it| SWEPT.contains(&&*it.name()));
        servers.map(move |server| {
            throughput(program, server, setting).full_only().in_sweep()
        })
    });
    Experiment::new("echo", "throughput", "baseline")
        .cells(centres)
        .cells(swept)
}

/// One client that waits for each answer, on one core with the server and away from
/// it.
pub(crate) fn round_trip(program: &Path) -> Experiment {
    let cells = [Cores::One, Cores::Apart].into_iter().flat_map(|cores| {
        let servers = servers().iter().filter(|it| it.is_itself_on_one_core());
        servers.map(move |server| {
            let cell = one_client(program, server, cores);
            if QUICK.contains(&(cores, &server.name())) {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("round-trip", "time per message", "baseline").cells(cells)
}

fn throughput(
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let path = program.to_owned();
    let take = move |window| visit::closed_loop(&path, server, setting, window);
    let cell =
        Cell::window(server.contender, visit::WINDOW, take).also(&visit::ALSO);
    stated(cell, program, server, setting).group(&setting.group())
}

fn one_client(program: &Path, server: &'static Server, cores: Cores) -> Cell {
    let setting = Setting { connections: 1, ..Setting::centre(cores) };
    let path = program.to_owned();
    // Away from the server's core, the client has a thread that stays where it is.
    let body = Body::together(1, cores == Cores::Apart, move || {
        let connection = Mutex::new(Client::start(&path, server, cores));
        let trips = move |_| {
            let mut client = connection.lock().expect("one thread has it");
            (0..TRIPS).map(|trip| client.ask(trip)).sum()
        };
        (trips, |sum| sum)
    });
    let cell = Cell::new(
        server.contender,
        TRIPS * (TRIPS - 1) / 2,
        body.for_each_visit(),
    );
    let cell = stated(cell.per(TRIPS), program, server, setting);
    match cores {
        Cores::One => cell.placement(Placement::OneCore),
        Cores::Apart | Cores::Shared => cell,
    }
}

/// With all parameters, and what it needs.
fn stated(
    cell: Cell,
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let Setting { cores, connections, message_bytes, in_flight } = setting;
    let program = program.to_owned();
    let parameters = server.parameters().into_iter();
    parameters
        .fold(cell, |cell, (name, value)| cell.parameter(name, value))
        .parameter("placement", cores.name())
        .parameter("connections", connections as i64)
        .parameter("message_bytes", message_bytes as i64)
        .parameter("in_flight", in_flight as i64)
        .needs(move || visit::start(&program, server, cores).map(drop))
}

/// A connection to a server that ends with it.
struct Client {
    stream: TcpStream,
    _server: Running,
}

impl Client {
    /// # Panics
    ///
    /// If the server cannot be started, which was tried before.
    fn start(program: &Path, server: &Server, cores: Cores) -> Client {
        let server = visit::start(program, server, cores)
            .unwrap_or_else(|reason| panic!("{reason}"));
        let stream = TcpStream::connect(server.address()).expect("it listens");
        stream.set_nodelay(true).expect("a socket has this option");
        Client { stream, _server: server }
    }

    /// Sends a number in a message and returns that which comes back.
    fn ask(&mut self, number: u64) -> u64 {
        let mut message = [0; MESSAGE_BYTES];
        message[..8].copy_from_slice(&number.to_le_bytes());
        self.stream.write_all(&message).expect("the server reads");
        self.stream.read_exact(&mut message).expect("the server answers");
        let (number, rest) = message.split_at(8);
        assert!(rest.iter().all(|&byte| byte == 0), "a byte is wrong");
        u64::from_le_bytes(number.try_into().expect("eight bytes"))
    }
}
