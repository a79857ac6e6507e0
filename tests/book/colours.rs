//! Contenders of a chart are distinguishable: two with the same mark need colours that differ in
//! every theme, also for people who lack a kind of cone.

use language::colour::Rgb;

use crate::BOOK;

type Triple = [f64; 3];

/// The backgrounds of mdBook's themes: light, rust, coal, navy, ayu.
const THEMES: [&str; 5] = ["#ffffff", "#e1e1db", "#141617", "#161923", "#0f1419"];

/// The vision of eyes with all cones, and of those without the long, middle or short ones: matrices
/// for linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
const EYES: [[Triple; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// Converts linear RGB to XYZ, as shares of white.
const XYZ: [Triple; 3] = [
    [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
    [0.2126, 0.7152, 0.0722],
    [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
];

/// The minimum distance of two colours in CIELAB; 2.3 is just noticeable.
const APART: f64 = 10.0;

fn times(matrix: [Triple; 3], vector: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

fn lab(linear: Triple) -> Triple {
    let [x, y, z] = times(XYZ, linear.map(|channel| channel.clamp(0.0, 1.0))).map(|t| {
        if t > 0.008856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn contenders_with_the_same_mark_have_colours_that_every_eye_tells_apart() {
    let styles: Vec<_> = BOOK.analysis.config.styles.iter().collect();
    let pairs = styles.iter().flat_map(|one| styles.iter().map(move |other| (one, other)));
    let mut compared = 0;
    for ((name, style), (other_name, other)) in pairs {
        if name >= other_name || style.symbol != other.symbol {
            continue;
        }
        for (theme, eye) in THEMES.iter().flat_map(|theme| EYES.map(|eye| (theme, eye))) {
            let background = Rgb::parse(theme).unwrap();
            let [one, two] =
                [style, other].map(|of| lab(times(eye, of.colour.legible_on(background).linear())));
            let apart = one.iter().zip(two).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            assert!(apart >= APART, "{name} and {other_name} are {apart:.0} apart on {theme}");
            compared += 1;
        }
    }
    assert!(compared > 0);
}
