//! The bytes that the load generator sends to an echo server and expects
//! back.

use fastrand::Rng;

/// The maximum number of bytes that are sent or compared at once.
pub(super) const CHUNK: usize = 64 << 10;

/// The number of bytes after which the pattern repeats. It is a prime, so
/// messages of any other length differ from those around them: a server that
/// loses, duplicates or swaps messages is found, and so is one that loses a
/// single byte.
const PERIOD: usize = 65_537;

/// The distance in the pattern between the streams of two connections.
/// Because of it, an answer on the wrong connection is detected.
const APART: u64 = 12_289;

/// A cycle of random bytes. Each connection sends it endlessly, cut into
/// messages. Answers can be checked without storing anything.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The cycle of bytes, followed by its beginning, so that any chunk is
    /// contiguous.
    bytes: Vec<u8>,
}

impl Pattern {
    pub(super) fn new() -> Pattern {
        let mut rng = Rng::with_seed(16);
        let mut bytes: Vec<u8> = (0..PERIOD).map(|_| rng.u8(..)).collect();
        bytes.extend_from_within(..CHUNK);
        Pattern { bytes }
    }

    /// Returns up to `bytes` bytes of the stream of connection number
    /// `connection`, starting at `offset`. Never returns more than a chunk.
    pub(super) fn at(
        &self,
        connection: usize,
        offset: u64,
        bytes: usize,
    ) -> &[u8] {
        let from = (connection as u64 * APART + offset) % PERIOD as u64;
        let from = from as usize;
        &self.bytes[from..from + bytes.min(CHUNK)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_follow_each_other_all_around() {
        let pattern = Pattern::new();
        let one_by_one: Vec<u8> = (0..3 * PERIOD as u64)
            .map(|offset| pattern.at(7, offset, 1)[0])
            .collect();
        let mut in_chunks = Vec::new();
        while in_chunks.len() < one_by_one.len() {
            let left = one_by_one.len() - in_chunks.len();
            let offset = in_chunks.len() as u64;
            in_chunks.extend_from_slice(pattern.at(
                7,
                offset,
                left.min(50_000),
            ));
        }
        assert!(in_chunks == one_by_one);
        assert_eq!(pattern.at(7, 3, 1 << 30).len(), CHUNK);
    }

    #[test]
    fn messages_differ_from_each_other_and_from_those_of_other_connections() {
        let pattern = Pattern::new();
        for length in [8, 64, 4096] {
            let message = |connection, nth: u64| {
                pattern.at(connection, nth * length as u64, length)
            };
            for nth in 0..1_000 {
                assert_ne!(message(3, nth), message(3, nth + 1));
                assert_ne!(message(3, nth), message(4, nth));
            }
        }
    }
}
