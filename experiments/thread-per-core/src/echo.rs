//! Experiments `echo`, `dealing`, `round-trip` and `calls`: an echo server's
//! performance under a load, the effect of how the load distributes its
//! connections, how long one client waits, and how often the server calls the
//! kernel.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;

use harness::{
    raise_file_limit, room_for_files, Body, Cell, Experiment, Placement,
};
use measurement::Source;

use crate::load::Dealing;
use crate::serve::{servers, Running, Server};

mod calls;
pub(crate) mod setting;
pub(crate) mod told;
pub(crate) mod visit;

use setting::{Cores, Setting};

const MESSAGE_BYTES: usize = 64;

const TRIPS: u64 = 100;

/// The servers that the book's claims compare when the server and the load
/// each have a separate core.
const APART: [&str; 5] = [
    "baseline, epoll",
    "tokio multi-thread",
    "tokio current_thread",
    "monoio epoll",
    "monoio io_uring",
];

/// The other servers that are measured when the server and the load each have
/// a separate core.
const APART_TOO: [&str; 7] = [
    "baseline, io_uring",
    "std::thread",
    "glommio",
    "compio",
    "smol",
    "ours pinned",
    "ours stealing",
];

/// The servers that are measured when the server and the load share all
/// cores: those that lead in steps from one published server to the other,
/// and our executor with both policies.
const SHARED: [&str; 11] = [
    "tokio multi-thread, as published",
    "tokio multi-thread",
    "tokio multi-thread, reuseport",
    "tokio multi-thread, one per core",
    "tokio current_thread",
    "tokio current_thread, pinned",
    "monoio epoll, pinned",
    "monoio io_uring, pinned",
    "monoio fusion, as published",
    "ours pinned",
    "ours stealing",
];

/// The other servers that are measured when the server and the load share all
/// cores.
const SHARED_TOO: [&str; 6] = [
    "baseline, epoll",
    "baseline, io_uring",
    "std::thread",
    "glommio",
    "compio",
    "smol",
];

/// The servers that are measured with two ways of distributing the
/// connections to load threads, while the server and the load share all
/// cores.
const DEALT: [&str; 2] = ["ours pinned", "ours stealing"];

/// The servers that are also measured with long messages, or with several
/// messages in flight.
const SWEPT: [&str; 4] = [
    "baseline, epoll",
    "tokio multi-thread",
    "monoio epoll",
    "monoio io_uring",
];

const MANY: [&str; 2] = ["monoio epoll", "monoio io_uring"];

/// The servers that are also measured on a single core, which they share with
/// the load.
const ONE_CORE: [&str; 2] = ["baseline, epoll", "tokio multi-thread"];

const COUNTED: [&str; 4] = [
    "baseline, epoll",
    "tokio multi-thread",
    "monoio epoll",
    "monoio io_uring",
];

const QUICK: [(Cores, &str); 4] = [
    (Cores::Apart, "baseline, epoll"),
    (Cores::Apart, "tokio multi-thread"),
    (Cores::Shared, "tokio multi-thread, as published"),
    (Cores::Shared, "monoio fusion, as published"),
];

/// The server that is measured twice at each central setting, to show how
/// much it differs from itself.
const TWINNED: &str = "tokio multi-thread";

/// Creates the experiment that measures throughput with closed loops: as many
/// messages per second as a server and the load can handle.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let [apart, shared, one] =
        [Cores::Apart, Cores::Shared, Cores::One].map(Setting::centre);
    let beside: [(Setting, &'static [&'static str]); 6] = [
        (apart, &APART_TOO),
        (shared, &SHARED_TOO),
        (one, &ONE_CORE),
        (Setting { message_bytes: 16 * 1024, ..apart }, &SWEPT),
        (Setting { in_flight: 16, ..apart }, &SWEPT),
        (Setting { connections: 10_000, ..apart }, &MANY),
    ];
    let centres = [(apart, &APART[..]), (shared, &SHARED)];
    let centres = centres.into_iter().flat_map(|(setting, names)| {
        of(names).map(move |server| {
            let cell = throughput(program, server, setting);
            let cell = quick_or_full(cell, server, setting.cores);
            if server.name() == TWINNED {
                cell.twinned()
            } else {
                cell
            }
        })
    });
    let beside = beside.into_iter().flat_map(|(setting, names)| {
        of(names).map(move |server| {
            throughput(program, server, setting).full_only().in_sweep()
        })
    });
    Experiment::new("echo", "throughput", "baseline")
        .cells(centres)
        .cells(beside)
}

/// Creates the experiment that compares two ways in which the load
/// distributes its connections to its threads: in turn and in random order.
pub(crate) fn dealing(program: &Path) -> Experiment {
    let dealt = [Dealing::Shuffled, Dealing::InTurn];
    let cells = dealt.into_iter().flat_map(|dealing| {
        let setting = Setting { dealing, ..Setting::centre(Cores::Shared) };
        of(&DEALT).map(move |server| {
            let cell = throughput(program, server, setting)
                .parameter("dealing", dealing.name())
                .full_only()
                .in_sweep();
            match (server.contender, dealing) {
                ("ours stealing", Dealing::Shuffled) => cell.twinned(),
                _ => cell,
            }
        })
    });
    Experiment::new("dealing", "throughput", "ours stealing").cells(cells)
}

/// Returns the servers with these names, in the order of the table of
/// servers.
fn of(names: &'static [&'static str]) -> impl Iterator<Item = &'static Server> {
    servers().iter().filter(move |server| names.contains(&&*server.name()))
}

/// Leaves `cell` out of quick runs, unless [`QUICK`] lists its server.
fn quick_or_full(cell: Cell, server: &Server, cores: Cores) -> Cell {
    if QUICK.contains(&(cores, &server.name())) {
        cell
    } else {
        cell.full_only()
    }
}

/// Creates the experiment that counts how often servers call the kernel, with
/// separate cores for server and load.
pub(crate) fn calls(program: &Path) -> Experiment {
    let quantities = calls::quantities();
    let quantities = quantities.each_ref().map(String::as_str);
    let setting = Setting::centre(Cores::Apart);
    let cells = of(&COUNTED).map(|server| {
        let path = program.to_owned();
        let count = move || calls::count(&path, server, setting);
        let cell = Cell::readings(
            server.contender,
            Source::Counter,
            &quantities,
            count,
        );
        let path = program.to_owned();
        let counts =
            move || calls::start(&path, server, setting.cores).map(drop);
        stated(cell, program, server, setting).needs(counts).full_only()
    });
    Experiment::new("calls", "system calls per message", "baseline")
        .cells(cells)
}

/// Creates the experiment in which one client waits for each answer, on the
/// server's core and on another core.
pub(crate) fn round_trip(program: &Path) -> Experiment {
    let cell = |server, cores| one_client(program, server, cores);
    let compared = [Cores::One, Cores::Apart].into_iter().flat_map(|cores| {
        of(&APART).map(move |server| {
            quick_or_full(cell(server, cores), server, cores)
        })
    });
    let beside = of(&APART_TOO)
        .map(|server| cell(server, Cores::Apart).full_only().in_sweep());
    Experiment::new("round-trip", "time per message", "baseline")
        .cells(compared)
        .cells(beside)
}

fn throughput(
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let path = program.to_owned();
    let take = move |window| visit::closed_loop(&path, server, setting, window);
    let cell = Cell::window(server.contender, visit::WINDOW, take)
        .also(&told::quantities(server, setting));
    stated(cell, program, server, setting).group(&setting.group())
}

fn one_client(program: &Path, server: &'static Server, cores: Cores) -> Cell {
    let setting = Setting { connections: 1, ..Setting::centre(cores) };
    let path = program.to_owned();
    // If the client and the server have separate cores, the client's thread
    // stays on its core.
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

/// Adds to `cell` the parameters that describe `server` and `setting`, and
/// the requirements for running them.
pub(crate) fn stated(
    cell: Cell,
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let Setting { cores, connections, message_bytes, in_flight, .. } = setting;
    let program = program.to_owned();
    let parameters = server.parameters().into_iter();
    parameters
        .fold(cell, |cell, (name, value)| cell.parameter(name, value))
        .parameter("placement", cores.name())
        .parameter("connections", connections as i64)
        .parameter("message_bytes", message_bytes as i64)
        .parameter("in_flight", in_flight as i64)
        .needs(move || {
            // The server and the load each need one descriptor per
            // connection.
            raise_file_limit();
            room_for_files(connections as u64)
        })
        .needs(move || visit::start(&program, server, cores).map(drop))
}

/// A client's connection to a server process. The process exits when the
/// client is dropped.
struct Client {
    stream: TcpStream,
    _server: Running,
}

impl Client {
    /// # Panics
    ///
    /// If the server cannot be started. The benchmark's requirements have
    /// checked before that it can.
    fn start(program: &Path, server: &Server, cores: Cores) -> Client {
        let server = visit::start(program, server, cores)
            .unwrap_or_else(|reason| panic!("{reason}"));
        let stream = TcpStream::connect(server.address()).expect("it listens");
        stream.set_nodelay(true).expect("a socket has this option");
        Client { stream, _server: server }
    }

    /// Sends a message that contains `number`, and returns the number in the
    /// answer.
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
