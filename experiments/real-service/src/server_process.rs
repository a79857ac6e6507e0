//! Runs a server in a separate process.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use harness::helper::{report, requests, Helper};
use serde::{Deserialize, Serialize};

use crate::servers::{start, ToServe};
use crate::usage::Usage;

/// The argument that makes the chapter's program a server.
pub(crate) const CALLED: &str = "serve";

/// How long to wait for a server to start, or to answer a question.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Serialize, Deserialize)]
enum Asked {
    ToServe(Box<ToServe>),
    Usage,
}

#[derive(Serialize, Deserialize)]
enum Said {
    Serves(SocketAddr),
    Cannot(String),
    Usage(Usage, u64),
}

pub(crate) fn main() -> ExitCode {
    let mut serving = None;
    harness::raise_file_limit();
    for asked in requests::<Asked>() {
        let said = match asked {
            Asked::ToServe(what) => match start(*what) {
                Ok(it) => {
                    let address = it.address;
                    serving = Some(it);
                    Said::Serves(address)
                }
                Err(reason) => Said::Cannot(reason),
            },
            Asked::Usage => {
                let orders = serving.as_ref().map_or(0, |it| it.map.orders());
                Said::Usage(Usage::own(), orders as u64)
            }
        };
        if report(&said).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// A running server in a separate process. The server exits when this value
/// is dropped, or when this process exits.
pub struct Server {
    helper: Helper<Asked, Said>,
    address: SocketAddr,
}

impl Server {
    /// Starts a server, and returns when clients can connect.
    ///
    /// # Errors
    ///
    /// If the server cannot serve, with the reason.
    pub fn start(program: &Path, what: ToServe) -> Result<Server, String> {
        let mut command = Command::new(program);
        command.arg(CALLED);
        let mut helper = Helper::spawn(command)?;
        match helper.ask(&Asked::ToServe(Box::new(what)), PATIENCE)? {
            Said::Serves(address) => Ok(Server { helper, address }),
            Said::Cannot(reason) => Err(reason),
            Said::Usage(..) => Err("it said what nobody asked".to_owned()),
        }
    }

    /// Returns the address to which clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the id of the server's process.
    pub fn id(&self) -> u32 {
        self.helper.id()
    }

    /// Returns the CPU time that the server has used so far, and the number
    /// of orders in its map.
    ///
    /// # Errors
    ///
    /// If the server has ended, with its last words.
    pub fn usage(&mut self) -> Result<(Usage, u64), String> {
        match self.helper.ask(&Asked::Usage, PATIENCE)? {
            Said::Usage(usage, orders) => Ok((usage, orders)),
            _ => Err("it said what nobody asked".to_owned()),
        }
    }
}
