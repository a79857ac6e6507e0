//! The queue M/D/1: requests that come at random (Poisson arrivals), one server that needs the same time
//! for each (deterministic service), and answers them in the order in which they came.

/// The time from a request's arrival to its answer that a share of the requests does not exceed, 0.99 for
/// the 99th percentile; in the unit of `service`, which is the time that one takes. The server is busy for a
/// share of its time, `utilisation`, that is above 0 and below 1.
///
/// It is the exact distribution of the waiting time (Franx, "A simple solution for the M/D/c waiting time
/// distribution", 2001), in which nothing is subtracted: the textbook's sum loses all its digits where waits
/// are long.
pub(super) fn sojourn(service: f64, utilisation: f64, share: f64) -> f64 {
    let at_most = at_most(utilisation, share);
    // The probability that a request waits no longer than so many services.
    let waits_up_to = |services: f64| {
        let whole = services.floor() as usize;
        let on_average = utilisation * (whole as f64 + 1.0 - services);
        let (mut come, mut sum) = ((-on_average).exp(), 0.0);
        for number in 0..=whole {
            sum += come * at_most[whole - number];
            come *= on_average / (number + 1) as f64;
        }
        sum
    };
    if waits_up_to(0.0) >= share {
        return service;
    }
    // Who has so many before him waits that many services at least, and not one more.
    let waiting = (at_most.len() - 1) as f64;
    let (mut low, mut high) = (waiting, waiting + 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if waits_up_to(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    service * (1.0 + high)
}

/// To a millionth of a service.
const HALVINGS: u32 = 20;

/// The probability that no more than a number of requests wait, beside the one that is served: for 0 and on, up to the
/// first that is a share at least.
fn at_most(utilisation: f64, share: f64) -> Vec<f64> {
    // The probability that a number of requests are there, the one that is served among them.
    let mut exactly = vec![1.0 - utilisation];
    let mut at_most = Vec::new();
    while at_most.last().is_none_or(|last| *last < share) {
        // The probability of one request more than the last: a number is left upwards, by more arrivals during a
        // service than it takes, as often as it is come back to.
        let last = exactly.len() - 1;
        let more = |than| more_come(than, utilisation);
        let from = |number: usize| exactly[number] * more(last + 1 - number);
        let up = exactly[0] * more(last) + (1..=last).map(from).sum::<f64>();
        let next = up * utilisation.exp();
        at_most.push(at_most.last().unwrap_or(&exactly[0]) + next);
        exactly.push(next);
    }
    at_most
}

/// The probability that more than so many requests come, where so many do on average. It adds up its own
/// terms, since what is left of 1 would have no digits.
fn more_come(than: usize, on_average: f64) -> f64 {
    let first = (1..=than + 1).fold((-on_average).exp(), |p, k| p * on_average / k as f64);
    let terms = (than + 2..).scan(first, |p, k| {
        let this = *p;
        *p *= on_average / k as f64;
        Some(this)
    });
    terms.take(TERMS).sum()
}

/// Each of which is less than half of the one before.
const TERMS: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook's sum for the probability of a wait (Erlang, 1909), which is good for short ones.
    fn waits_up_to(utilisation: f64, services: f64) -> f64 {
        let term = |k: usize| {
            let late = utilisation * (services - k as f64);
            let power = (1..=k).fold(1.0, |power, i| power * -late / i as f64);
            power * late.exp()
        };
        (1.0 - utilisation) * (0..=services.floor() as usize).map(term).sum::<f64>()
    }

    #[test]
    fn a_percentile_is_exceeded_by_its_share() {
        for (utilisation, share) in [(0.2, 0.99), (0.5, 0.99), (0.8, 0.9), (0.6, 0.999)] {
            let services = sojourn(1.0, utilisation, share) - 1.0;
            let found = waits_up_to(utilisation, services);
            assert!((found - share).abs() < 1e-6, "{utilisation} {share}: {found}");
        }
    }
}
