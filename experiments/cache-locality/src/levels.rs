//! Finds the sizes at which a curve steps from one level to another.

/// A level is accepted only if it reduces the sum of squared logarithms by
/// this much. A step that doubles the time takes 17 points for that, with
/// eight of them on one side; a step that adds half takes 49.
const PRICE: f64 = 2.0;

/// Divides `times`, which is ordered by size, into levels of similar times.
/// Returns the index at which each level begins.
///
/// The result is the best possible division (optimal partitioning, Jackson
/// and others, 2005): it minimises the squared deviations of the logarithms,
/// plus
/// [`PRICE`] for each level.
pub(crate) fn levels(times: &[f64]) -> Vec<usize> {
    let logs: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    // Entry `n` is about the first `n` times: the cost of the best division
    // into levels, and the index at which its last level begins.
    let mut best = vec![(0.0, 0)];
    for end in 1..=logs.len() {
        let with_last = |begin: usize| {
            let (before, _): (f64, usize) = best[begin];
            (before + scatter(&logs[begin..end]) + PRICE, begin)
        };
        let division = (0..end)
            .map(with_last)
            .min_by(|(one, _), (other, _)| one.total_cmp(other));
        best.push(division.expect("there is a time"));
    }
    let mut begins = Vec::new();
    let mut end = logs.len();
    while end > 0 {
        end = best[end].1;
        begins.push(end);
    }
    begins.reverse();
    begins
}

fn scatter(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharp_steps_are_where_they_are() {
        let times = [[1.5; 8].as_slice(), &[5.0; 10], &[30.0; 9], &[110.0; 5]];
        assert_eq!(levels(&times.concat()), [0, 8, 18, 27]);
    }

    #[test]
    fn a_ramp_is_one_step_and_noise_is_none() {
        let ramp =
            [1.5, 1.5, 1.6, 1.5, 1.6, 1.5, 2.4, 4.6, 5.1, 5.0, 5.2, 5.1, 5.3];
        assert_eq!(levels(&ramp).len(), 2);
        let noise: Vec<f64> =
            (0..30).map(|at| 40.0 + 6.0 * f64::from(at * 7 % 5)).collect();
        assert_eq!(levels(&noise), [0]);
    }

    #[test]
    fn of_nothing_there_is_no_level() {
        assert!(levels(&[]).is_empty());
        assert_eq!(levels(&[1.0]), [0]);
    }
}
