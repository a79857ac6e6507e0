//! Runs [wrk](https://github.com/wg/wrk), the load generator of the published
//! measurement, if it is installed.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use harness::Measurement;

/// How long wrk sends requests. It accepts only whole seconds.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// # Errors
///
/// If wrk isn't installed. The error says how to install it.
pub(super) fn is_installed() -> Result<(), String> {
    // This call of wrk gives no address, so it ends with an error. It still
    // shows that wrk is installed.
    output(&["--version"]).map(drop)
}

/// Runs wrk against the HTTP server at `address`, and returns the throughput
/// that wrk reports.
///
/// # Errors
///
/// If wrk cannot be run, its output is not understood, or a request failed.
pub(super) fn ask(
    address: SocketAddr,
    connections: usize,
    threads: usize,
) -> Result<Measurement, String> {
    let told = output(&[
        &format!("-t{threads}"),
        &format!("-c{connections}"),
        &format!("-d{}s", WINDOW.as_secs()),
        &format!("http://{address}/"),
    ])?;
    read(&told)
}

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("wrk").args(arguments).output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            "wrk is not installed: apt install wrk, or build \
                                it from https://github.com/wg/wrk"
                .to_owned()
        }
        _ => format!("wrk cannot be run: {error}"),
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Parses the results that wrk prints.
///
/// # Errors
///
/// If the output is not understood, or reports errors.
fn read(told: &str) -> Result<Measurement, String> {
    let behind = |start: &str| {
        told.lines().find_map(|line| line.trim().strip_prefix(start))
    };
    for failed in ["Socket errors:", "Non-2xx or 3xx responses:"] {
        if let Some(many) = behind(failed) {
            return Err(format!("wrk: {failed}{many}"));
        }
    }
    let not_understood =
        || format!("what wrk says is not understood: {}", told.trim());
    let answered = told
        .lines()
        .find_map(|line| line.split_once(" requests in "))
        .and_then(|(count, _)| count.trim().parse().ok())
        .ok_or_else(not_understood)?;
    // The elapsed time is computed from the rate, since wrk prints the time
    // only to a hundredth of a second.
    let a_second: f64 = behind("Requests/sec:")
        .and_then(|rate| rate.trim().parse().ok())
        .ok_or_else(not_understood)?;
    let elapsed = Duration::try_from_secs_f64(answered as f64 / a_second)
        .map_err(|_| not_understood())?;
    Ok(Measurement { answered, elapsed, ..Measurement::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example output in wrk's README.md, at commit 03976a3.
    const README: &str = "\
Running 30s test @ http://127.0.0.1:8080/index.html
  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  22464657 requests in 30.00s, 17.76GB read
Requests/sec: 748868.53
Transfer/sec:    606.33MB
";

    #[test]
    fn what_it_prints_is_read() {
        let measurement = read(README).unwrap();
        assert_eq!(measurement.answered, 22_464_657);
        let elapsed = measurement.elapsed.as_secs_f64();
        assert!((elapsed - 29.998).abs() < 0.001, "{elapsed}");
        assert_eq!(measurement.errors, 0);
    }

    /// wrk's output under an excessive load, from the README.md of the public
    /// repository `wb_tech_l0`.
    const TOO_MUCH: &str = "\
12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    17.06ms   13.72ms 147.46ms   78.02%
    Req/Sec     1.37k   802.29     3.41k    67.50%
  24344 requests in 30.90s, 37.27MB read
  Socket errors: connect 0, read 0, write 0, timeout 792
  Non-2xx or 3xx responses: 12
Requests/sec:    787.94
Transfer/sec:      1.21MB
";

    #[test]
    fn errors_are_no_measurement() {
        let reason = read(TOO_MUCH).unwrap_err();
        let expected =
            "wrk: Socket errors: connect 0, read 0, write 0, timeout 792";
        assert_eq!(reason, expected);
        for told in ["", "unable to connect to 127.0.0.1:1 Connection refused"]
        {
            let reason = read(told).unwrap_err();
            assert!(reason.contains("not understood"), "{reason}");
        }
    }
}
