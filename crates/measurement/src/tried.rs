//! What a new run makes of the interval that earlier ones gave.

use crate::Measured;

/// In which share of its processes a run has to have found a core undisturbed, for its figure to be held
/// against anything.
pub const CALM: f64 = 0.5;

/// A figure of a new run, held against the interval of earlier ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Half the interval's width, as a share of its estimate.
    pub half_width: f64,
    /// How many times half the width the new figure lies from the earlier one; up to 1 it lies inside.
    pub off: f64,
}

impl Tried {
    /// Holds what a run found against what was expected; `None` if the run hardly found its core
    /// undisturbed, so that it has no figure to try.
    pub fn of(expected: &Measured, found: &Measured) -> Option<Tried> {
        if found.calm_processes() < CALM {
            return None;
        }
        let expected = expected.interval();
        let half = (expected.high - expected.low) / 2.0;
        let half_width = if half == 0.0 { 0.0 } else { half / expected.estimate.abs() };
        let off = found.estimate - expected.estimate;
        let to_the_end = if off < 0.0 {
            expected.estimate - expected.low
        } else {
            expected.high - expected.estimate
        };
        // An interval without width holds its own figure.
        let off = if off == 0.0 { 0.0 } else { off.abs() / to_the_end };
        Some(Tried { half_width, off })
    }

    /// Whether the new figure lies inside.
    pub fn is_inside(self) -> bool {
        self.off <= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    /// Six points, of three processes with two each.
    fn measured(points: [f64; 6]) -> Measured {
        Measured::from_points(points.to_vec(), 3, Source::Criterion)
    }

    #[test]
    fn the_distance_is_counted_in_halves_of_the_width() {
        let expected = Measured { estimate: 10.0, low: 9.0, high: 12.0, ..measured([10.0; 6]) };
        let tried = |estimate: f64| {
            let found = Measured { estimate, ..measured([estimate; 6]) };
            Tried::of(&expected, &found).expect("nobody says that a core was disturbed")
        };
        assert_eq!(tried(10.0).off, 0.0);
        assert_eq!((tried(9.5).off, tried(11.0).off), (0.5, 0.5));
        assert!(tried(12.0).is_inside() && !tried(12.1).is_inside() && !tried(8.9).is_inside());
        assert_eq!(tried(10.0).half_width, 0.15);
    }

    #[test]
    fn an_interval_without_width_holds_its_own_figure_only() {
        let expected = measured([10.0; 6]);
        assert!(Tried::of(&expected, &measured([10.0; 6])).unwrap().is_inside());
        assert!(!Tried::of(&expected, &measured([10.1; 6])).unwrap().is_inside());
    }
}
