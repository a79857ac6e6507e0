//! Requests that come at random instants, and how long they wait: with a queue for each
//! worker by the formula of Pollaczek and Khinchin, with one queue for two workers in a
//! simulation.

use fastrand::Rng;
use harness::Cell;
use measurement::Source;

/// The shares of the workers' time that requests take, in per cent.
const LOADS: [u64; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];

/// Of so many requests.
const REQUESTS: u32 = 250_000;

const WORKERS: usize = 2;

const WAIT: &str = "ratio of waiting time to a request";

/// How long requests take, in units of a light one.
#[derive(Debug, Clone, Copy)]
enum Requests {
    Equal,
    /// A tenth of them takes fifty times as long as the others.
    Unequal,
}

/// Where they wait.
#[derive(Debug, Clone, Copy)]
enum Queue {
    OneEach,
    OneForAll,
}

/// How many times as long as a request takes it waits, in the mean of many.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    let requests = [Requests::Equal, Requests::Unequal];
    let queues = [Queue::OneEach, Queue::OneForAll];
    let settings = requests.into_iter().flat_map(move |requests| {
        queues.into_iter().flat_map(move |queue| {
            LOADS.into_iter().map(move |load| (requests, queue, load))
        })
    });
    settings.map(|(requests, queue, load)| {
        let take = move || {
            let utilisation = load as f64 / 100.0;
            Ok(vec![match queue {
                Queue::OneEach => requests.formula(utilisation),
                Queue::OneForAll => requests.simulated(utilisation, WORKERS),
            }])
        };
        Cell::readings("baseline", Source::Simulation, &[WAIT], take)
            .parameter("requests", requests.name())
            .parameter("queues", queue.name())
            .parameter("load_percent", load as i64)
    })
}

impl Queue {
    fn name(self) -> &'static str {
        match self {
            Queue::OneEach => "one for each",
            Queue::OneForAll => "one for all",
        }
    }
}

impl Requests {
    fn name(self) -> &'static str {
        match self {
            Requests::Equal => "equal",
            Requests::Unequal => "unequal",
        }
    }

    /// How long one takes, and with which chance.
    fn kinds(self) -> &'static [(f64, f64)] {
        match self {
            Requests::Equal => &[(1.0, 1.0)],
            Requests::Unequal => &[(1.0, 0.9), (50.0, 0.1)],
        }
    }

    fn mean_of(self, of: impl Fn(f64) -> f64) -> f64 {
        self.kinds().iter().map(|(length, chance)| of(*length) * chance).sum()
    }

    /// The wait for one worker, to the mean length.
    fn formula(self, utilisation: f64) -> f64 {
        let mean = self.mean_of(|length| length);
        let squared_variation =
            self.mean_of(|length| length.powi(2)) / mean.powi(2) - 1.0;
        utilisation / (1.0 - utilisation) * (1.0 + squared_variation) / 2.0
    }

    /// The same for workers that take requests from one queue.
    fn simulated(self, utilisation: f64, workers: usize) -> f64 {
        let mut random = Rng::with_seed(1);
        let mean = self.mean_of(|length| length);
        let gap = mean / (utilisation * workers as f64);
        let mut free = vec![0.0; workers];
        let (mut now, mut waited) = (0.0, 0.0);
        for _ in 0..REQUESTS {
            now -= (1.0 - random.f64()).ln() * gap;
            let first = free.iter_mut().min_by(|a, b| f64::total_cmp(a, b));
            let first = first.expect("there is a worker");
            let begun = f64::max(now, *first);
            waited += begun - now;
            *first = begun + self.draw(&mut random);
        }
        waited / f64::from(REQUESTS) / mean
    }

    fn draw(self, random: &mut Rng) -> f64 {
        let mut left = random.f64();
        let kinds = self.kinds();
        let drawn = kinds.iter().find(|(_, chance)| {
            left -= chance;
            left < 0.0
        });
        drawn.unwrap_or(&kinds[0]).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_keeps_requests_waiting_as_the_formula_says() {
        for requests in [Requests::Equal, Requests::Unequal] {
            for utilisation in [0.2, 0.5, 0.7] {
                let formula = requests.formula(utilisation);
                let simulated = requests.simulated(utilisation, 1);
                let off = simulated / formula - 1.0;
                assert!(off.abs() < 0.1, "{requests:?}, {utilisation}: {off}");
            }
        }
        assert_eq!(Requests::Equal.formula(0.5), 0.5);
    }

    #[test]
    fn two_workers_with_one_queue_keep_them_waiting_less() {
        for requests in [Requests::Equal, Requests::Unequal] {
            let each = requests.formula(0.5);
            let all = requests.simulated(0.5, 2);
            assert!(0.2 * each < all && all < 0.5 * each, "{all}, {each}");
        }
    }
}
