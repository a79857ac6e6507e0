//! The kinds of fenced blocks that a page can contain. `block/<kind>.md` documents each for
//! authors.

mod chart_block;
mod toml_block;
mod words;

pub use chart_block::{CONTENDER, ChartBlock, ChartKind, ScaleKind};
pub use toml_block::{At, BlockError, Place, check_id, from_toml};
pub use words::Words;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $word:literal,)*) => {
        /// A kind of fenced block that a page can contain.
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

            /// Returns the part of `LANGUAGE.md` that documents this kind of block for authors.
            pub fn language(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => include_str!(concat!("block/", $word, ".md")),)*
                }
            }
        }
    };
}

kinds! {
    /// Defines names for measured rows, or for parts of the selectors that find rows.
    Figures: "figures",
    /// A table of figures.
    Table: "table",
    /// Questions that the reader answers before seeing the data.
    Predict: "predict",
    /// A list of what operations cost.
    Costs: "costs",
    /// The time that a request takes, computed from prices and counts.
    Bill: "bill",
    /// Measured times of requests, each next to the time computed from prices and counts.
    Bills: "bills",
    /// A claim: a sentence, and a predicate on a figure. The predicate decides whether the claim
    /// holds.
    Claim: "claim",
    /// Claims with one predicate, shown as a table.
    Claims: "claims",
    /// A chart of measured rows.
    Chart: "chart",
    /// Named rows, drawn as dots on one axis.
    Dots: "dots",
    /// The timeline of one or two recorded operations.
    Timeline: "timeline",
}
