//! Colours that contrast with their background.

use std::fmt;

use serde::Deserialize;

/// Red, green and blue, 0 to 255 each. A file has it as `"#rrggbb"`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Rgb(pub [f64; 3]);

/// The darkest of mdBook's light backgrounds: its theme `rust`.
pub const WHITEST: Rgb = Rgb([225.0, 225.0, 219.0]);

/// The lightest of its dark backgrounds: `navy`.
pub const BLACKEST: Rgb = Rgb([22.0, 25.0, 35.0]);

/// The minimum contrast of a mark and its background (WCAG 2.2, 1.4.11).
const CONTRAST: f64 = 3.0;

impl Rgb {
    /// Returns the colour `#0072b2` from `0x0072b2`.
    pub const fn of(hex: u32) -> Rgb {
        let [_, r, g, b] = hex.to_be_bytes();
        Rgb([r as f64, g as f64, b as f64])
    }

    /// Reads `#rrggbb`.
    pub fn parse(hex: &str) -> Option<Rgb> {
        let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        u32::from_str_radix(digits, 16).ok().map(Rgb::of)
    }

    /// Returns linear light, 0 to 1 (sRGB).
    pub fn linear(self) -> [f64; 3] {
        self.0.map(|channel| match channel / 255.0 {
            share if share <= 0.04045 => share / 12.92,
            share => ((share + 0.055) / 1.055).powf(2.4),
        })
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Returns the colour moved towards white or black until it contrasts with the background, as
    /// measured.js does for the reader's theme.
    pub fn legible_on(self, background: Rgb) -> Rgb {
        let ground = background.luminance();
        let end = if ground > 0.2 { 0.0 } else { 255.0 };
        let mut colour = self;
        for _ in 0..10 {
            let light = colour.luminance();
            if (light.max(ground) + 0.05) / (light.min(ground) + 0.05) >= CONTRAST {
                break;
            }
            colour = Rgb(colour.0.map(|channel| (channel + (end - channel) * 0.15).round()));
        }
        colour
    }
}

impl TryFrom<String> for Rgb {
    type Error = String;

    fn try_from(hex: String) -> Result<Rgb, String> {
        Rgb::parse(&hex).ok_or_else(|| format!("the colour is {hex:?}, write it as \"#0072b2\""))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}", r = r as u8, g = g as u8, b = b as u8)
    }
}
