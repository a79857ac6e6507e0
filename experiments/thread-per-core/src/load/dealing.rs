//! How a load distributes its connections to its threads.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// How connections, in the order in which they were made, are distributed to
/// the threads. The threads' numbers of connections differ by at most one, and
/// the server sees no difference before the first request: addresses, ports and
/// the order of connecting are the same.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum,
)]
pub enum Dealing {
    /// One after the other. If a server distributes its connections to the same
    /// number of workers in the same way, each worker gets the connections of
    /// one thread.
    InTurn,
    /// In random order, which doesn't match a server that distributes
    /// connections in turn.
    Shuffled,
}

impl Dealing {
    /// Returns the name of this distribution, as used in the parameter
    /// `dealing` of the results.
    pub const fn name(self) -> &'static str {
        match self {
            Dealing::InTurn => "in turn",
            Dealing::Shuffled => "shuffled",
        }
    }

    /// Returns, for each connection, the index of its thread. The order
    /// depends on `seed` if connections are shuffled.
    pub(super) fn threads(
        self,
        seed: u64,
        connections: usize,
        threads: usize,
    ) -> Vec<usize> {
        let mut dealt: Vec<usize> =
            (0..connections).map(|turn| turn % threads).collect();
        if self == Dealing::Shuffled {
            Rng::with_seed(seed).shuffle(&mut dealt);
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_its_share_however_they_are_dealt() {
        let shuffled = |seed| Dealing::Shuffled.threads(seed, 100, 3);
        let in_turn = Dealing::InTurn.threads(1, 100, 3);
        assert_eq!(in_turn[..4], [0, 1, 2, 0]);
        for dealt in [in_turn.clone(), shuffled(1), shuffled(2)] {
            let of = |thread| dealt.iter().filter(|&&t| t == thread).count();
            assert_eq!([of(0), of(1), of(2)], [34, 33, 33]);
        }
        assert_ne!(shuffled(1), in_turn);
        assert_ne!(shuffled(1), shuffled(2));
        assert_eq!(shuffled(1), shuffled(1));
    }
}
