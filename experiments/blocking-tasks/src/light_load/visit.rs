//! One visit: somebody asks at random instants, and what the process uses beside that
//! is the contender's.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;

use super::serve::{Serve, MESSAGE};

/// Before the window: until the runtime has settled.
const LEAD_IN: Duration = Duration::from_millis(50);

pub(super) const CPU_TIME: &str = "CPU time per request";

/// What a window tells besides, of all threads but the one that asks.
pub(super) const ALSO: [(&str, Source); 2] = [
    (CPU_TIME, Source::Getrusage),
    ("context switches per request", Source::Getrusage),
];

/// Has a contender serve one connection, asked for so long.
///
/// # Errors
///
/// Why the contender cannot serve here, or what was wrong with its answers.
pub(super) fn take(
    serve: Serve,
    rate: f64,
    length: Duration,
) -> Result<Measurement, String> {
    let (client, connection) =
        connect().map_err(|error| format!("a connection: {error}"))?;
    thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let asked = ask(&client, rate, length);
            // The echo task reads that there is no more.
            let _ = client.shutdown(Shutdown::Both);
            asked
        });
        serve(connection)?;
        asked.join().expect("the load does not panic")
    })
}

/// Asks, first for the lead-in and then for the window. The times between two requests
/// are exponentially distributed.
fn ask(
    mut connection: &TcpStream,
    rate: f64,
    length: Duration,
) -> Result<Measurement, String> {
    be_woken_in_time();
    let begin = Instant::now() + LEAD_IN;
    let end = begin + length;
    let mut due = Instant::now();
    let mut used_before = None;
    let mut latencies = Histogram::new(3).expect("three digits are possible");
    loop {
        due += Duration::from_secs_f64(-(1.0 - fastrand::f64()).ln() / rate);
        if due >= begin && used_before.is_none() {
            sleep_until(begin);
            used_before = Some(used_by_others()?);
        }
        if due >= end {
            break;
        }
        sleep_until(due);
        let asked = latencies.len().to_le_bytes();
        let mut answer = [0; MESSAGE];
        connection
            .write_all(&asked)
            .map_err(|error| format!("asking: {error}"))?;
        let read = connection.read_exact(&mut answer);
        read.map_err(|error| format!("waiting for an answer: {error}"))?;
        if answer != asked {
            return Err("an answer is not what was sent".to_owned());
        }
        if used_before.is_some() {
            latencies += due.elapsed().as_nanos() as u64;
        }
    }
    sleep_until(end);
    let elapsed = begin.elapsed();
    let before = used_before.expect("the window began before its end");
    let after = used_by_others()?;
    let requests = latencies.len();
    let per_request = |used: f64| used / requests.max(1) as f64;
    let cpu = (after.cpu - before.cpu).as_nanos() as f64;
    let switches = (after.switches - before.switches) as f64;
    Ok(Measurement {
        answered: requests,
        elapsed,
        offered: Some(rate),
        latencies: Some(latencies),
        also: vec![per_request(cpu), per_request(switches)],
        ..Measurement::default()
    })
}

/// Both ends of a connection, of which that of the contender does not block.
fn connect() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    let (connection, _) = listener.accept()?;
    client.set_nodelay(true)?;
    connection.set_nodelay(true)?;
    connection.set_nonblocking(true)?;
    Ok((client, connection))
}

/// By default the kernel wakes a sleeping thread up to 50 us late, to wake several
/// together.
#[cfg(target_os = "linux")]
fn be_woken_in_time() {
    // Where it is refused, requests come a little later.
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(not(target_os = "linux"))]
fn be_woken_in_time() {}

fn sleep_until(at: Instant) {
    thread::sleep(at.saturating_duration_since(Instant::now()));
}

/// What all threads of the process but the calling one have used.
struct Used {
    cpu: Duration,
    /// Context switches, wanted or not.
    switches: i64,
}

#[cfg(target_os = "linux")]
fn used_by_others() -> Result<Used, String> {
    use nix::sys::resource::{getrusage, Usage, UsageWho};
    use nix::time::{clock_gettime, ClockId};

    let used = || {
        let time = |clock| clock_gettime(clock).map(Duration::from);
        let all = time(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
        let own = time(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
        let switches = |of: Usage| {
            of.voluntary_context_switches() + of.involuntary_context_switches()
        };
        let all_switches = switches(getrusage(UsageWho::RUSAGE_SELF)?);
        let own_switches = switches(getrusage(UsageWho::RUSAGE_THREAD)?);
        Ok(Used {
            cpu: all.saturating_sub(own),
            switches: all_switches - own_switches,
        })
    };
    used().map_err(|error: nix::Error| format!("what was used: {error}"))
}

#[cfg(not(target_os = "linux"))]
fn used_by_others() -> Result<Used, String> {
    Err("this system does not tell what one thread has used".to_owned())
}
