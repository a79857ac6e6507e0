//! Experiment `memory`: the resident memory that each connection adds to the
//! server, while the connection waits after an answer.

use std::fs;
use std::path::Path as File;

use harness::{room_for_files, Cell, Experiment};
use measurement::Source;

use crate::load::{Client, Request};
use crate::path::Path;
use crate::server_process::Server;
use crate::servers::{Arm, ToServe};
use crate::store::{AskedBy, Keep};

/// The numbers of connections at which memory is measured. The slope of the
/// line through the results is the memory per connection.
const CONNECTIONS: [usize; 4] = [64, 128, 192, 256];

pub(crate) fn experiment(program: &File) -> Experiment {
    let arms = [Arm::Tokio, Arm::TokioPerCore, Arm::Threads(AskedBy::Ours)];
    let cells =
        [false, true].into_iter().flat_map(|tls| arms.map(|arm| (arm, tls)));
    // The servers with threads are measured only without TLS.
    let cells =
        cells.filter(|(arm, tls)| !(*tls && matches!(arm, Arm::Threads(_))));
    Experiment::new(
        "memory",
        "resident memory per connection",
        "tokio multi-thread",
    )
    .cells(cells.map(|(arm, tls)| {
        let program = program.to_owned();
        let take = move || line(&program, arm, tls);
        let quantity = "resident memory per connection";
        let cell =
            Cell::fitted(arm.contender(), Source::Counter, quantity, take)
                .parameter("tls", tls)
                .group("all")
                .needs(|| {
                    harness::raise_file_limit();
                    room_for_files(256)
                });
        if arm == Arm::Tokio && !tls {
            cell
        } else {
            cell.full_only()
        }
    }))
}

/// Measures the resident memory of a server that stores orders in its own
/// map, for each number of connections.
fn line(
    program: &File,
    arm: Arm,
    tls: bool,
) -> Result<Vec<(f64, f64)>, String> {
    harness::raise_file_limit();
    let what = ToServe { arm, keep: Keep::InMemory, tls, port: 0 };
    let server = Server::start(program, what)?;
    let mut clients = Vec::new();
    let mut request = Request::new(Path::Orders, 0);
    let points = CONNECTIONS.map(|connections| {
        while clients.len() < connections {
            let asked = Client::connect(server.address(), tls).and_then(
                |mut client| {
                    let status = client.ask(request.another())?.status;
                    Ok((client, status))
                },
            );
            let (client, status) = asked.map_err(|error| error.to_string())?;
            if status != 201 {
                return Err(format!("an order was answered with {status}"));
            }
            clients.push(client);
        }
        Ok((connections as f64, resident(server.id())?))
    });
    points.into_iter().collect()
}

/// Returns the resident memory of the process with this id, in bytes.
fn resident(process: u32) -> Result<f64, String> {
    let file = format!("/proc/{process}/status");
    let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes
        .map(|size| 1024.0 * size)
        .ok_or_else(|| format!("{file} says nothing of it"))
}
