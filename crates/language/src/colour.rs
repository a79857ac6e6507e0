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

/// Defines the colours as constants of [`Colour`], and [`PALETTE`] with all of them.
macro_rules! palette {
    ($($constant:ident: $name:literal, $light:literal, $dark:literal;)*) => {
        #[allow(missing_docs)]
        impl Colour {
            $(pub const $constant: Colour =
                Colour { name: $name, light: $light, dark: $dark };)*
        }

        /// Colours that people with any colour vision can distinguish, made darker or lighter
        /// where they would not stand out from the background of a theme or from each other: of
        /// Okabe and Ito (2008), of Tol (2021), and black. `tests/book/colours.rs` checks that
        /// all stand out, and that they can be told apart.
        pub const PALETTE: [Colour; [$($name),*].len()] = [$(Colour::$constant),*];
    };
}

palette! {
    BLUE: "blue", "#0072b2", "#0072b2";
    VERMILION: "vermilion", "#b55000", "#d55e00";
    GREEN: "green", "#008662", "#009e73";
    PURPLE: "purple", "#ad678e", "#cc79a7";
    ORANGE: "orange", "#a77300", "#e69f00";
    SKY: "sky", "#3e82a8", "#56b4e9";
    GREY: "grey", "#7f7f7f", "#7f7f7f";
    INDIGO: "indigo", "#332288", "#877cd6";
    ROSE: "rose", "#aa5a58", "#c95b5d";
    FOREST: "forest", "#0f5f24", "#117733";
    MAGENTA: "magenta", "#af4492", "#aa4499";
    OLIVE: "olive", "#827d35", "#999933";
    TEAL: "teal", "#366d6d", "#58cdb2";
    WINE: "wine", "#882255", "#8f587f";
    BLACK: "black", "#000000", "#d8d8d8";
}

/// The colours for contenders that have none in the settings.
pub const OF_CONTENDERS: [Colour; 7] = [
    Colour::BLUE,
    Colour::VERMILION,
    Colour::GREEN,
    Colour::PURPLE,
    Colour::ORANGE,
    Colour::SKY,
    Colour::GREY,
];

/// The colours for other series, such as the arms of an experiment. They differ from those of
/// contenders, so that nothing looks like an unrelated contender.
pub const OF_OTHERS: [Colour; 7] = [
    Colour::INDIGO,
    Colour::ROSE,
    Colour::FOREST,
    Colour::MAGENTA,
    Colour::OLIVE,
    Colour::TEAL,
    Colour::WINE,
];

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
