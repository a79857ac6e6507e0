//! Whether any eye can tell the contenders of a chart apart: two with the same mark need colours that
//! differ in every theme, also for people who lack a kind of cone.

use std::path::Path;

use mdbook_measured::chart::colour::Rgb;
use mdbook_measured::driver;

type Triple = [f64; 3];

/// The backgrounds of mdBook's themes: light, rust, coal, navy, ayu.
const THEMES: [&str; 5] = ["#ffffff", "#e1e1db", "#141617", "#161923", "#0f1419"];

/// What is seen by eyes with all cones, and by those without the long, middle or short ones: matrices
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

/// How far apart two colours are at least, in CIELAB; 2.3 is just noticeable.
const APART: f64 = 10.0;

fn lab(linear: Triple) -> Triple {
    let [r, g, b] = linear.map(|channel| channel.clamp(0.0, 1.0));
    let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn distance(a: Triple, b: Triple) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn contenders_with_the_same_mark_have_colours_that_every_eye_tells_apart() {
    let config = driver::config(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let styles: Vec<_> = config.styles.iter().collect();
    let mut compared = 0;
    for (index, (name, style)) in styles.iter().enumerate() {
        let same_mark = styles[..index].iter().filter(|(_, other)| other.symbol == style.symbol);
        for (other_name, other) in same_mark {
            for (theme, eye) in
                THEMES.iter().flat_map(|theme| EYES.iter().map(move |eye| (theme, eye)))
            {
                let seen = |colour: Rgb| {
                    let colour = colour.legible_on(Rgb::parse(theme).unwrap()).linear();
                    lab(eye.map(|row| row.iter().zip(colour).map(|(a, b)| a * b).sum()))
                };
                let distance = distance(seen(style.colour), seen(other.colour));
                assert!(
                    distance >= APART,
                    "{name} and {other_name} are {distance:.0} apart on {theme}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}
