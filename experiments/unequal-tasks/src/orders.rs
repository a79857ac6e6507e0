//! The order of light and heavy tasks in a batch. Most tasks are light.

use fastrand::Rng;

/// The number of tasks in a batch. A tenth of the tasks are heavy.
pub(crate) const TASKS: usize = 1_000;
const HEAVY: usize = 100;

/// The sum of the tasks' numbers, which is the expected result if each task
/// has run once.
pub(crate) const SUM: u64 = (TASKS * (TASKS - 1) / 2) as u64;

/// The duration of a heavy task, in multiples of a light task's duration.
const HEAVY_UNITS: u64 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Of every ten tasks, the last is heavy.
    EveryTenth,
    HeavyFirst,
    HeavyLast,
    /// A random order with this seed.
    Shuffled(u64),
}

impl Order {
    pub(crate) fn name(self) -> String {
        match self {
            Order::EveryTenth => "every tenth".to_owned(),
            Order::HeavyFirst => "heavy first".to_owned(),
            Order::HeavyLast => "heavy last".to_owned(),
            Order::Shuffled(seed) => format!("shuffled {seed}"),
        }
    }

    fn units(self) -> Vec<u64> {
        let is_heavy = |index: usize| match self {
            Order::EveryTenth => index % 10 == 9,
            Order::HeavyLast => index >= TASKS - HEAVY,
            Order::HeavyFirst | Order::Shuffled(_) => index < HEAVY,
        };
        let units = |index| if is_heavy(index) { HEAVY_UNITS } else { 1 };
        let mut all: Vec<u64> = (0..TASKS).map(units).collect();
        if let Order::Shuffled(seed) = self {
            Rng::with_seed(seed).shuffle(&mut all);
        }
        all
    }

    pub(crate) fn lengths(self, light_ns: u64) -> Vec<u64> {
        self.units().into_iter().map(|units| units * light_ns).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_heavy_in_every_order() {
        let shuffles = (1..=8).map(Order::Shuffled);
        let named = [Order::EveryTenth, Order::HeavyFirst, Order::HeavyLast];
        for order in named.into_iter().chain(shuffles) {
            let units = order.units();
            assert_eq!(units.len(), TASKS);
            assert_eq!(units.iter().sum::<u64>(), 5_900, "{order:?}");
        }
        assert_ne!(Order::Shuffled(1).units(), Order::Shuffled(2).units());
        assert_eq!(Order::Shuffled(1).units(), Order::Shuffled(1).units());
    }
}
