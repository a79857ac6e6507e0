//! Experiment `channels`: the memory of an unused channel, by capacity.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;

use clap::Parser;
use harness::{Cell, Experiment};
use measurement::{Parameter, Source};

use crate::line;
use crate::report::{self, Report};

/// The first argument of a process that creates channels.
pub(crate) const NAME: &str = "channels";

const TOKIO: &str = "tokio mpsc";
const STD: &str = "std mpsc";
const ASYNC_CHANNEL: &str = "async-channel";

type Message = [u8; 64];

/// The capacities of channels to measure; `None` is unbounded.
const CAPACITIES: [Option<u64>; 4] = [Some(1), Some(16), Some(1024), None];

/// The maximum memory of all channels of a process together, in bytes.
const MOST: u64 = 20 << 20;

const QUANTITY: &str = "resident memory per channel";

pub(crate) fn experiment(program: &Path) -> Experiment {
    let cells = CAPACITIES.into_iter().flat_map(|capacity| {
        [TOKIO, STD, ASYNC_CHANNEL]
            .map(|contender| cell(program, contender, capacity))
    });
    Experiment::new("channels", QUANTITY, TOKIO).cells(cells)
}

fn cell(program: &Path, contender: &str, capacity: Option<u64>) -> Cell {
    let (program, name) = (program.to_owned(), contender.to_owned());
    let take = move || {
        // A slot of a channel takes the size of a message plus a word. The
        // channel itself takes a few hundred bytes more.
        let slots = capacity.unwrap_or(32) * (size_of::<Message>() as u64 + 8);
        let step = MOST / line::COUNTS / (slots + 512);
        line::points(step, |channels| {
            let mut arguments =
                vec![NAME.to_owned(), name.clone(), channels.to_string()];
            arguments.extend(capacity.map(|capacity| capacity.to_string()));
            let report: Report = report::answer(&program, &arguments)?;
            Ok(report.resident_bytes)
        })
    };
    let value = match capacity {
        Some(capacity) => Parameter::Integer(capacity as i64),
        None => Parameter::Text("unbounded".to_owned()),
    };
    Cell::fitted(contender, Source::Harness, QUANTITY, take)
        .parameter("capacity", value)
        .full_only()
}

/// The kind of channels to create, and their number.
#[derive(Debug, Parser)]
#[command(name = "memory channels")]
struct Channels {
    contender: String,
    channels: u64,
    /// Without it they are unbounded
    capacity: Option<usize>,
}

pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    harness::end_with_input();
    let Channels { contender, channels, capacity } =
        Channels::parse_from(arguments);
    let told = match (contender.as_str(), capacity) {
        (TOKIO, Some(capacity)) => memory_of(
            channels,
            || tokio::sync::mpsc::channel(capacity),
            |(sender, receiver)| {
                sender.try_send(MESSAGE).ok()?;
                receiver.try_recv().ok()
            },
        ),
        (TOKIO, None) => memory_of(
            channels,
            tokio::sync::mpsc::unbounded_channel,
            |(sender, receiver)| {
                sender.send(MESSAGE).ok()?;
                receiver.try_recv().ok()
            },
        ),
        (STD, Some(capacity)) => memory_of(
            channels,
            || mpsc::sync_channel(capacity),
            |(sender, receiver)| {
                sender.try_send(MESSAGE).ok()?;
                receiver.try_recv().ok()
            },
        ),
        (STD, None) => memory_of(channels, mpsc::channel, |channel| {
            channel.0.send(MESSAGE).ok()?;
            channel.1.try_recv().ok()
        }),
        (ASYNC_CHANNEL, capacity) => memory_of(
            channels,
            || match capacity {
                Some(capacity) => async_channel::bounded(capacity),
                None => async_channel::unbounded(),
            },
            |(sender, receiver)| {
                sender.try_send(MESSAGE).ok()?;
                receiver.try_recv().ok()
            },
        ),
        (other, _) => Err(format!("there are no channels of {other:?}")),
    };
    report::tell(told)
}

const MESSAGE: Message = [1; 64];

/// Returns the memory of the process while `channels` channels exist, after
/// checking that each works.
fn memory_of<Channel>(
    channels: u64,
    make: impl Fn() -> Channel,
    pass: impl Fn(&mut Channel) -> Option<Message>,
) -> Result<Report, String> {
    let mut made: Vec<Channel> = (0..channels).map(|_| make()).collect();
    let report = Report::now(None)?;
    if made.iter_mut().all(|channel| pass(channel) == Some(MESSAGE)) {
        Ok(report)
    } else {
        Err("a channel has lost a message".to_owned())
    }
}
