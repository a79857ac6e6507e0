//! Fits a straight line through points.

/// Returns the slope of the line through `points` by least squares.
///
/// Fails if the points don't determine a line: if there are fewer than three,
/// if all have the same x, or if a value is not finite.
pub(crate) fn slope(points: &[(f64, f64)]) -> Result<f64, String> {
    if points.len() < 3 {
        return Err(format!("{points:?} are too few points for a line"));
    }
    let mean = |of: fn(&(f64, f64)) -> f64| {
        points.iter().map(of).sum::<f64>() / points.len() as f64
    };
    let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
    let (mut with_y, mut with_x) = (0.0, 0.0);
    for (x, y) in points {
        with_y += (x - x_mean) * (y - y_mean);
        with_x += (x - x_mean) * (x - x_mean);
    }
    let slope = with_y / with_x;
    if slope.is_finite() {
        Ok(slope)
    } else {
        Err(format!("{points:?} make no line"))
    }
}
