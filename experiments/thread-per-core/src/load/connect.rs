//! Opens the connections of a load.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::error::Error;
use super::settings::Settings;

const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The number of new connections after which the load pauses, so that the
/// server can accept them. If the server's queue is full, the kernel drops
/// new connections and retries after a second. The shortest queues hold 128.
const BURST: usize = 64;
const PAUSE: Duration = Duration::from_millis(5);

/// The kernel's default number of local ports
/// (`net.ipv4.ip_local_port_range`).
const USUAL_PORTS: usize = 60_999 - 32_768 + 1;

#[derive(Debug)]
pub(super) struct Made {
    /// Each open connection, with its number.
    pub(super) streams: Vec<(usize, TcpStream)>,
    pub(super) refused: u64,
    /// The error of the first connection that failed.
    pub(super) why_refused: Option<io::Error>,
}

pub(super) fn connect(settings: &Settings) -> Result<Made, Error> {
    let Settings { address, connections, .. } = *settings;
    // Checks file descriptors first, so that a shortage is found before the
    // server has any work.
    harness::raise_file_limit();
    harness::room_for_files(connections as u64)
        .map_err(|reason| Error::TooFewDescriptors { connections, reason })?;
    let a_source = connections_a_source();
    let until = Instant::now() + TIME_LIMIT;
    let mut made = Made { streams: Vec::new(), refused: 0, why_refused: None };
    for number in 0..connections {
        if number % BURST == BURST - 1 {
            thread::sleep(PAUSE);
        }
        match connect_one(address, source(address, number / a_source), until) {
            Ok(stream) => made.streams.push((number, stream)),
            Err(error) => {
                made.refused += 1;
                made.why_refused.get_or_insert(error);
            }
        }
    }
    match made.why_refused {
        Some(reason) if made.streams.is_empty() => {
            Err(Error::NoConnection { asked: connections, address, reason })
        }
        _ => Ok(made),
    }
}

/// Returns the maximum number of connections from one source address: half
/// the number of local ports. The other half is left for other programs, and
/// for the previous run, whose ports stay occupied for a minute (TIME_WAIT).
fn connections_a_source() -> usize {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
    let ports = range.ok().and_then(|range| {
        let mut bounds = range.split_whitespace().map(str::parse::<usize>);
        let (low, high) = (bounds.next()?.ok()?, bounds.next()?.ok()?);
        Some(high.saturating_sub(low) + 1)
    });
    (ports.unwrap_or(USUAL_PORTS) / 2).max(1)
}

/// Returns the source address with index `place` on the server's loopback
/// network: 127.0.0.2 for index 1, 127.0.0.3 for index 2 and so on. Returns
/// `None` for index 0, which lets the kernel choose, and for IPv6, which has
/// only `::1`.
fn source(address: SocketAddr, place: usize) -> Option<SocketAddr> {
    let place = u32::try_from(place).ok().filter(|&place| place > 0)?;
    let first = u32::from(Ipv4Addr::LOCALHOST);
    address.is_ipv4().then(|| (IpAddr::V4((first + place).into()), 0).into())
}

fn connect_one(
    address: SocketAddr,
    source: Option<SocketAddr>,
    until: Instant,
) -> io::Result<TcpStream> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    if let Some(source) = source {
        // Lets the socket use a port in TIME_WAIT. Only the pair of addresses
        // must be unique.
        socket.set_reuse_address(true)?;
        socket.bind(&source.into())?;
    }
    socket.connect_timeout(&address.into(), left)?;
    socket.set_tcp_nodelay(true)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_addresses_follow_each_other_where_there_are_any() {
        let v4 = "127.0.0.1:7000".parse().unwrap();
        assert_eq!(source(v4, 0), None);
        assert_eq!(source(v4, 1), Some("127.0.0.2:0".parse().unwrap()));
        assert_eq!(source(v4, 300), Some("127.0.1.45:0".parse().unwrap()));
        assert_eq!(source("[::1]:7000".parse().unwrap(), 3), None);
    }
}
