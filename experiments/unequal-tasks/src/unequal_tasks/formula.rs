//! The Pollaczek-Khinchine formula for the mean wait in a queue.

/// Returns the mean wait of requests for a single worker, in the unit of
/// `times`. Requests arrive at random moments, and `times` lists their
/// durations. `utilisation` is the fraction of time in which the worker is
/// busy.
pub(crate) fn mean_wait(times: &[f64], utilisation: f64) -> f64 {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let squared_variation = squares / count / mean.powi(2);
    mean * utilisation / (1.0 - utilisation) * (1.0 + squared_variation) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_requests_wait_for_half_of_one_where_half_of_the_time_is_taken() {
        assert_eq!(mean_wait(&[100.0; 3], 0.5), 50.0);
        assert_eq!(mean_wait(&[100.0; 3], 0.75), 150.0);
    }

    #[test]
    fn unequal_requests_wait_for_as_much_more_as_their_squares_are() {
        // The mean of the four times is 2, and the mean of their squares is
        // 5.
        assert_eq!(mean_wait(&[1.0, 3.0, 1.0, 3.0], 0.5), 1.25);
    }
}
