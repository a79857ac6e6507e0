//! Fenced blocks: their kinds, and the documentation of each for authors, in `block/<kind>.md`.

mod chart_block;
mod toml_block;

pub use chart_block::{CONTENDER, ChartBlock, ChartKind, ScaleKind};
pub use toml_block::{At, BlockError, Place, check_id, from_toml};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $word:literal,)*) => {
        /// A kind of fenced block.
        #[derive(Debug, Clone, Copy)]
        pub enum BlockKind {
            $($(#[$doc])* $kind,)*
        }

        impl BlockKind {
            /// All kinds, in the order of their documentation.
            pub const ALL: [BlockKind; [$($word),*].len()] = [$(BlockKind::$kind),*];

            /// Returns the word after the fence.
            pub fn word(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => $word,)*
                }
            }

            /// Returns its documentation for authors, for `LANGUAGE.md`.
            pub fn language(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => include_str!(concat!("block/", $word, ".md")),)*
                }
            }
        }
    };
}

kinds! {
    /// Names for rows, or for what rows have in common.
    Figures: "figures",
    /// Figures in rows and columns.
    Table: "table",
    /// Questions that a reader answers.
    Predict: "predict",
    /// A price list.
    Costs: "costs",
    /// The time of a request, from prices and counts.
    Bill: "bill",
    /// Bills of requests that were also measured as a whole.
    Bills: "bills",
    /// A sentence with a predicate.
    Claim: "claim",
    /// A family of claims.
    Claims: "claims",
    /// A chart of rows.
    Chart: "chart",
    /// Named rows on one axis.
    Dots: "dots",
    /// Recorded operations.
    Timeline: "timeline",
}
