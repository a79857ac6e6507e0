//! Checks that each colour stands out from the page in every theme, and that no two look alike,
//! also for people who lack a kind of cone. The colours of two contenders with the same mark must
//! differ more.

use language::colour::{Colour, PALETTE};

use crate::BOOK;

type Triple = [f64; 3];

/// The background colours of some themes, and a function that returns a colour's variant for
/// these themes.
type Theme = (&'static [&'static str], fn(Colour) -> &'static str);

/// mdBook's light themes (light and rust) and dark themes (coal, navy and ayu).
const THEMES: [Theme; 2] = [
    (&["#ffffff", "#e1e1db"], |colour| colour.light),
    (&["#141617", "#161923", "#0f1419"], |colour| colour.dark),
];

/// The minimum contrast between a mark and its background, according to WCAG 2.2, 1.4.11.
const CONTRAST: f64 = 3.0;

/// Types of colour vision: with all cones, or without the long, middle or short cones. The
/// matrices apply to linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
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

/// The matrix that converts linear RGB to XYZ, as shares of white.
const XYZ: [Triple; 3] = [
    [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
    [0.2126, 0.7152, 0.0722],
    [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
];

/// The minimum distance between any two colours in the colour space CIELAB. A distance of 2.3 is
/// just noticeable.
const APART: f64 = 4.5;

/// The minimum distance between the colours of two contenders with the same mark.
const FAR_APART: f64 = 11.0;

fn times(matrix: [Triple; 3], vector: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// Converts the colour `#rrggbb` to linear RGB, from 0 to 1 (according to sRGB).
fn linear(hex: &str) -> Triple {
    [1, 3, 5].map(|at| match f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0 {
        share if share <= 0.04045 => share / 12.92,
        share => ((share + 0.055) / 1.055).powf(2.4),
    })
}

fn contrast(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|hex| times(XYZ, linear(hex))[1] + 0.05);
    one.max(other) / one.min(other)
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

/// Returns the distance between two colours of a theme for the eye that tells them apart least.
fn apart(form: fn(Colour) -> &'static str, one: Colour, other: Colour) -> f64 {
    let distance = |eye: [Triple; 3]| {
        let [one, two] = [one, other].map(|of| lab(times(eye, linear(form(of)))));
        one.iter().zip(two).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    EYES.map(distance).into_iter().fold(f64::INFINITY, f64::min)
}

#[test]
fn every_eye_tells_colours_from_the_page_and_contenders_with_one_mark_from_each_other() {
    for (colour, (backgrounds, form)) in PALETTE.iter().flat_map(|of| THEMES.map(|it| (of, it))) {
        for background in backgrounds {
            let found = contrast(form(*colour), background);
            assert!(found >= CONTRAST, "{} has {found:.2} on {background}", colour.name);
        }
    }
    for (_, form) in THEMES {
        for (place, one) in PALETTE.into_iter().enumerate() {
            for other in &PALETTE[..place] {
                let found = apart(form, one, *other);
                let names = [one.name, other.name];
                assert!(found >= APART, "{names:?} are {found:.1} apart as {}", form(one));
            }
        }
    }
    let styles: Vec<_> = BOOK.analysis.config.styles.iter().collect();
    let pairs = styles.iter().flat_map(|one| styles.iter().map(move |other| (one, other)));
    let mut compared = 0;
    for ((name, style), (other_name, other)) in pairs {
        if name >= other_name || style.symbol != other.symbol {
            continue;
        }
        for (_, form) in THEMES {
            let apart = apart(form, style.colour, other.colour);
            let of = form(style.colour);
            assert!(apart >= FAR_APART, "{name} and {other_name} are {apart:.0} apart, {of}");
            compared += 1;
        }
    }
    assert!(compared > 0);
}
