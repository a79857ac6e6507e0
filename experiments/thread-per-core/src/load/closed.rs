//! The closed loop: each answer triggers the next request.

use std::io;

use mio::Events;

use super::traffic::Traffic;

/// Sends requests until the window ends, or until at least `requests` of them
/// have been answered in it. Keeps `pipeline` requests in flight on each
/// connection.
pub(super) fn run(
    traffic: &mut Traffic<'_>,
    events: &mut Events,
    pipeline: usize,
    requests: u64,
) -> io::Result<()> {
    let make = |traffic: &mut Traffic<'_>, place, requests| {
        let now = traffic.now();
        for _ in 0..requests {
            traffic.request(place, now);
        }
        traffic.send(place);
    };
    for place in 0..traffic.connections() {
        make(traffic, place, pipeline);
    }
    let end = traffic.tally.measured.window().end;
    while traffic.now() < end
        && traffic.tally.answered < requests
        && !traffic.is_cut_off()
    {
        traffic.wait(events, end)?;
        for event in events.iter() {
            if let Some((place, answers)) = traffic.serve(event) {
                make(traffic, place, answers);
            }
        }
    }
    let now = traffic.now();
    let window = traffic.tally.measured.window();
    window.end = now.clamp(window.start, end);
    Ok(())
}
