//! The kinds of fenced blocks. `block/<kind>.md` documents each for authors.

mod chart_block;
mod toml_block;
mod words;

pub use chart_block::{CONTENDER, ChartBlock, ChartKind, ScaleKind};
pub use toml_block::{At, BlockError, Place, check_id, from_toml};
pub use words::Words;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $word:literal,)*) => {
        /// A kind of fenced block.
        #[derive(Debug, Clone, Copy)]
        pub enum BlockKind {
            $($(#[$doc])* $kind,)*
        }

        impl BlockKind {
            /// All kinds, in the order in which `LANGUAGE.md` documents them.
            pub const ALL: [BlockKind; [$($word),*].len()] = [$(BlockKind::$kind),*];

            /// Returns the word that follows the opening fence of this kind of block.
            pub fn word(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => $word,)*
                }
            }

            /// Returns the documentation of the block for authors, a part of `LANGUAGE.md`.
            pub fn language(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => include_str!(concat!("block/", $word, ".md")),)*
                }
            }
        }
    };
}

kinds! {
    /// Names for rows, or for parts of selectors.
    Figures: "figures",
    /// Figures in rows and columns.
    Table: "table",
    /// Questions that the reader answers before seeing the data.
    Predict: "predict",
    /// A price list.
    Costs: "costs",
    /// How long a request takes, computed from prices and counts.
    Bill: "bill",
    /// Bills of requests, each next to the measured time of the whole request.
    Bills: "bills",
    /// A claim: a sentence with a predicate.
    Claim: "claim",
    /// A family of claims, shown as a table.
    Claims: "claims",
    /// A chart of rows.
    Chart: "chart",
    /// Rows with names, as dots on one axis.
    Dots: "dots",
    /// Recorded operations.
    Timeline: "timeline",
}
