//! The job to hand over.

use std::time::Duration;

use harness::work::{rounds_in, work};

pub(super) const TIME: Duration = Duration::from_micros(10);

/// A job that computes for [`TIME`]. Its number determines the expected
/// answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    number: u64,
    rounds: u64,
}

impl Job {
    pub(super) fn new(number: u64) -> Job {
        Job { number, rounds: rounds_in(TIME) }
    }

    pub(super) fn run(self) -> u64 {
        work(self.rounds);
        self.answer()
    }

    pub(super) fn answer(self) -> u64 {
        self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Encodes the job, for a runtime that receives its jobs through a
    /// socket.
    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..].copy_from_slice(&self.rounds.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: [u8; 16]) -> Job {
        let bytes = u128::from_le_bytes(bytes);
        Job { number: bytes as u64, rounds: (bytes >> 64) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::Job;

    #[test]
    fn a_job_is_the_same_on_the_other_side_of_a_socket() {
        let job = Job { number: 7 << 40, rounds: 3 << 41 };
        assert_eq!(Job::from_bytes(job.to_bytes()), job);
        assert_ne!(Job::new(1).run(), Job::new(2).run());
    }
}
