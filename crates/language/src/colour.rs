//! The palette of all charts and drawings. Each colour has a variant for light and one for dark
//! pages.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

/// A colour of the palette. Settings refer to it by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// The colour's name, as used in settings.
    pub name: &'static str,
    /// The colour as `#rrggbb`, for mdBook's light themes and for paper.
    pub light: &'static str,
    /// The colour as `#rrggbb`, for mdBook's dark themes.
    pub dark: &'static str,
}

const fn colour(name: &'static str, light: &'static str, dark: &'static str) -> Colour {
    Colour { name, light, dark }
}

/// Colours that people with any colour vision can distinguish, made darker or lighter where they
/// would not stand out from the background of a theme. There are seven for contenders (Okabe and
/// Ito, 2008), seven for everything else (Tol, 2021), and black. `tests/book/colours.rs` checks
/// that all stand out, and that contenders with the same mark can be told apart.
pub const PALETTE: [Colour; 15] = [
    colour("blue", "#0072b2", "#0072b2"),
    colour("vermilion", "#b55000", "#d55e00"),
    colour("green", "#008662", "#009e73"),
    colour("purple", "#ad678e", "#cc79a7"),
    colour("orange", "#a77300", "#e69f00"),
    colour("sky", "#3e82a8", "#56b4e9"),
    colour("grey", "#7f7f7f", "#7f7f7f"),
    colour("indigo", "#332288", "#6c5fa9"),
    colour("rose", "#ad5765", "#cc6677"),
    colour("forest", "#117733", "#117733"),
    colour("magenta", "#aa4499", "#aa4499"),
    colour("olive", "#82822b", "#999933"),
    colour("teal", "#317b6f", "#44aa99"),
    colour("wine", "#882255", "#a95f85"),
    colour("black", "#000000", "#7a7a7a"),
];

impl Colour {
    /// The colour of anything that belongs to no series.
    pub const GREY: Colour = PALETTE[6];
}

impl<'de> Deserialize<'de> for Colour {
    /// Looks up the name of a colour in the palette.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Colour, D::Error> {
        let name = String::deserialize(from)?;
        let found = PALETTE.into_iter().find(|colour| colour.name == name);
        found.ok_or_else(|| {
            let names = PALETTE.map(|colour| colour.name).join(", ");
            de::Error::custom(format!("no colour is {name:?}: write one of {names}"))
        })
    }
}

impl fmt::Display for Colour {
    /// Writes both variants of the colour, first the one for light themes. measured.js picks one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.light)?;
        f.write_str(self.dark)
    }
}
