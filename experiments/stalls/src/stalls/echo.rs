//! The bare echo loop of the experiment `equal-rates`, and the load on it, as
//! threads of one process.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Duration;

use harness::{pin_this_thread, Measurement};

use super::setting::{server_and_load, Place, RATE};
use thread_per_core::listings::echo::{epoll, listen::listen};
use thread_per_core::load::{run, Arrivals, End, Pace, Settings};

/// How long requests are made before anything is counted.
const LEAD_IN: Duration = Duration::from_millis(50);

/// Measures how long requests take, from when each is due until it is
/// answered.
pub(super) fn ask(window: Duration) -> Result<Measurement, String> {
    let [Place(server), Place(load)] = server_and_load()?;
    let address =
        serve(server).map_err(|error| format!("the server: {error}"))?;
    let settings = Settings {
        pace: Pace::Open {
            rate: RATE,
            arrivals: Arrivals::Poisson,
            seed: fastrand::u64(..),
        },
        spin: true,
        lead_in: LEAD_IN,
        end: End::After(window),
        ..Settings::of(address)
    };
    let report = thread::scope(|scope| {
        let asked = scope.spawn(|| {
            pin_this_thread(load)?;
            run(&settings).map_err(|error| format!("the load: {error}"))
        });
        asked.join().expect("the load does not panic")
    })?;
    if report.errors + report.unanswered > 0 {
        let (errors, missing) = (report.errors, report.unanswered);
        return Err(format!(
            "{errors} answers were wrong or lost, {missing} did not come"
        ));
    }
    Ok(report.into())
}

/// Starts a server that runs as long as this process. The server sleeps while
/// there are no requests.
fn serve(place: usize) -> std::io::Result<SocketAddr> {
    static ACCEPTED: AtomicU64 = AtomicU64::new(0);
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into(), false)?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        pin_this_thread(place)?;
        epoll::serve(&listener, &ACCEPTED).map_err(|error| error.to_string())
    });
    Ok(address)
}
