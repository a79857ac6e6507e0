//! The tables of all echo and HTTP servers.

use super::interface::Interface::{self, Blocking, Chosen, Epoll, IoUring};
use super::server::Runtimes::{self, None, One, OnePerCore};
use super::server::Server;
use super::worker::Worker;
use super::{run, run_http};
use crate::application_protocol::ApplicationProtocol;

/// Returns all echo servers, grouped by runtime. The plain server of each
/// runtime comes first.
pub fn servers() -> &'static [Server] {
    SERVERS
}

/// Returns all HTTP servers, grouped by runtime. The plain server of each
/// runtime comes first.
pub fn http_servers() -> &'static [Server] {
    HTTP_SERVERS
}

pub(crate) fn all() -> impl Iterator<Item = &'static Server> {
    SERVERS.iter().chain(HTTP_SERVERS)
}

/// Returns the server whose name is `words`. If there is none, returns the
/// first server whose name contains all of these words.
///
/// # Errors
///
/// If there is no such server. The error lists all servers.
pub fn find(words: &str) -> Result<&'static Server, String> {
    let exact = all().find(|server| server.name() == words);
    let split = |c: char| c == ',' || c.is_whitespace();
    let words_of = |text: &str| -> Vec<String> {
        text.split(split).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let wanted = words_of(words);
    let matches = |server: &&'static Server| {
        let name = words_of(&server.name());
        wanted.iter().all(|word| name.contains(word))
    };
    exact.or_else(|| all().find(matches)).ok_or_else(|| {
        let names: Vec<String> = all().map(Server::name).collect();
        format!("no server is \"{words}\"; there are:\n{}", names.join("\n"))
    })
}

const fn server(
    contender: &'static str,
    interface: Interface,
    runtimes: Runtimes,
    run: fn(Worker) -> Result<(), String>,
) -> Server {
    Server {
        protocol: ApplicationProtocol::Echo,
        contender,
        variation: "",
        interface,
        runtimes,
        reuseport: matches!(runtimes, OnePerCore),
        pinned: false,
        arm: "ours",
        needs: match interface {
            IoUring => "io_uring",
            _ => "",
        },
        run,
    }
}

/// Returns a variation of `server` in which each worker is pinned to a core.
const fn pinned(server: Server) -> Server {
    Server { pinned: true, variation: "pinned", ..server }
}

const TOKIO: Server =
    server("tokio multi-thread", Epoll, One, run::tokio_multi_thread);
const TOKIO_ONE_WORKER: Server = Server {
    variation: "one per core",
    ..server(TOKIO.contender, Epoll, OnePerCore, run::tokio_one_worker)
};
const CURRENT_THREAD: Server = server(
    "tokio current_thread",
    Epoll,
    OnePerCore,
    run::tokio_current_thread,
);
const LOCAL_SET: Server =
    server("tokio LocalSet", Epoll, OnePerCore, run::tokio_local_set);
const MONOIO_EPOLL: Server =
    server("monoio epoll", Epoll, OnePerCore, run::monoio_epoll);
const MONOIO_IO_URING: Server =
    server("monoio io_uring", IoUring, OnePerCore, run::monoio_io_uring);
#[cfg(target_os = "linux")]
const GLOMMIO: Server = Server {
    needs: "io_uring and 512 KiB that it may lock: ulimit -l 512",
    ..server("glommio", IoUring, OnePerCore, run::glommio)
};
const COMPIO: Server = server("compio", IoUring, OnePerCore, run::compio);

static SERVERS: &[Server] = &[
    #[cfg(target_os = "linux")]
    Server {
        variation: "epoll",
        ..server("baseline", Epoll, OnePerCore, run::epoll)
    },
    #[cfg(target_os = "linux")]
    Server {
        variation: "io_uring",
        ..server("baseline", IoUring, OnePerCore, run::io_uring)
    },
    server("std::thread", Blocking, None, run::std_thread),
    TOKIO,
    Server { variation: "reuseport", reuseport: true, ..TOKIO },
    pinned(TOKIO),
    TOKIO_ONE_WORKER,
    Server {
        variation: "as published",
        arm: "as published",
        run: run::tokio_as_published,
        ..TOKIO
    },
    CURRENT_THREAD,
    pinned(CURRENT_THREAD),
    LOCAL_SET,
    pinned(LOCAL_SET),
    MONOIO_EPOLL,
    pinned(MONOIO_EPOLL),
    MONOIO_IO_URING,
    pinned(MONOIO_IO_URING),
    #[cfg(target_os = "linux")]
    Server {
        variation: "as published",
        pinned: true,
        arm: "as published",
        ..server("monoio fusion", Chosen, OnePerCore, run::monoio_as_published)
    },
    #[cfg(target_os = "linux")]
    GLOMMIO,
    #[cfg(target_os = "linux")]
    pinned(GLOMMIO),
    COMPIO,
    pinned(COMPIO),
    server("smol", Epoll, One, run::smol),
    server("ours pinned", Epoll, One, run::ours_pinned),
    server("ours stealing", Epoll, One, run::ours_stealing),
];

const fn http(
    contender: &'static str,
    interface: Interface,
    runtimes: Runtimes,
    run: fn(Worker) -> Result<(), String>,
) -> Server {
    let protocol = ApplicationProtocol::Http;
    Server { protocol, ..server(contender, interface, runtimes, run) }
}

/// The name of the variation that uses Hyper for HTTP. The other HTTP servers
/// use httparse.
pub(crate) const HYPER: &str = "hyper";

static HTTP_SERVERS: &[Server] = &[
    http("std::thread", Blocking, None, run_http::std_thread),
    http("tokio multi-thread", Epoll, One, run_http::tokio_multi_thread),
    Server {
        variation: HYPER,
        ..http("tokio multi-thread", Epoll, One, run_http::hyper_multi_thread)
    },
    http(
        "tokio current_thread",
        Epoll,
        OnePerCore,
        run_http::tokio_current_thread,
    ),
    Server {
        variation: HYPER,
        ..http(
            "tokio current_thread",
            Epoll,
            OnePerCore,
            run_http::hyper_current_thread,
        )
    },
    http("monoio epoll", Epoll, OnePerCore, run_http::monoio_epoll),
    http("monoio io_uring", IoUring, OnePerCore, run_http::monoio_io_uring),
    http("compio", IoUring, OnePerCore, run_http::compio),
    http("smol", Epoll, One, run_http::smol),
    http("ours pinned", Epoll, One, run_http::ours_pinned),
    http("ours stealing", Epoll, One, run_http::ours_stealing),
];
