//! The requests that the connections of one core make.

use std::rc::Rc;

/// The number of workers, each on its own core. If the map is split into
/// shards, each worker owns one.
pub(super) const CORES: usize = 2;

/// The number of keys. Keys are numbered from 0, and core `key % CORES` owns
/// `key`.
const KEYS: u32 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    Get(u32),
    Add(u32),
}

/// The percentage of requests for keys that the asking core owns, and the
/// percentage of requests that only read. Both are exact over every 2,000
/// requests if `reads` is divisible by five.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mix {
    pub(super) local: u32,
    pub(super) reads: u32,
}

impl Mix {
    /// Creates the requests of core `core`. Each connection cycles through
    /// all of them, from a different start.
    pub(super) fn requests(self, core: usize) -> Rc<[Request]> {
        let mut random = fastrand::Rng::with_seed(core as u64);
        let mut requests = Vec::new();
        for number in 0..2_000 {
            let is_local = number % 100 < self.local;
            let owner = if is_local { core } else { (core + 1) % CORES };
            let owned = KEYS / CORES as u32;
            let key = random.u32(..owned) * CORES as u32 + owner as u32;
            let reads = number / 100 * 5 < self.reads;
            let request = if reads { Request::Get } else { Request::Add };
            requests.push(request(key));
        }
        random.shuffle(&mut requests);
        requests.into()
    }
}

pub(super) fn all_keys() -> impl Iterator<Item = (u32, u64)> {
    (0..KEYS).map(|key| (key, 0))
}

/// Returns the keys that core `core` owns, each with the value 0.
pub(super) fn keys_of(core: usize) -> impl Iterator<Item = (u32, u64)> {
    all_keys().filter(move |(key, _)| *key as usize % CORES == core)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_requests_are_local_and_read_as_was_asked_for() {
        for (local, reads) in [(0, 50), (80, 95), (99, 50), (100, 0)] {
            for core in 0..CORES {
                let requests = Mix { local, reads }.requests(core);
                let key = |request: &Request| match *request {
                    Request::Get(key) | Request::Add(key) => key as usize,
                };
                let is_read = |of: &&Request| matches!(of, Request::Get(_));
                let is_local = |of: &&Request| key(of) % CORES == core;
                let count_of = |is: &dyn Fn(&&Request) -> bool| {
                    requests.iter().filter(is).count() as u32
                };
                assert_eq!(count_of(&is_local), 20 * local);
                assert_eq!(count_of(&is_read), 20 * reads);
                let both = |of: &&Request| is_local(of) && is_read(of);
                assert_eq!(count_of(&both), local * reads / 5);
                assert!(requests.iter().all(|of| key(of) < KEYS as usize));
            }
        }
    }
}
