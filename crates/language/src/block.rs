//! Fenced blocks: their kinds, and what an author has to know of each, which is in a file of its own, `block/<kind>.md`.

mod chart_block;
mod toml_block;

pub use chart_block::{CONTENDER, ChartBlock, ChartKind, Rung, ScaleKind};
pub use toml_block::{At, BlockError, Place, check_id, from_toml};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $word:literal,)*) => {
        /// A kind of fenced block.
        #[derive(Debug, Clone, Copy)]
        pub enum BlockKind {
            $($(#[$doc])* $kind,)*
        }

        impl BlockKind {
            /// All kinds, in the order in which they are explained.
            pub const ALL: [BlockKind; [$($word),*].len()] = [$(BlockKind::$kind),*];

            /// The word behind the fence.
            pub fn word(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => $word,)*
                }
            }

            /// What an author has to know of it, for `LANGUAGE.md`.
            pub fn language(self) -> &'static str {
                match self {
                    $(BlockKind::$kind => include_str!(concat!("block/", $word, ".md")),)*
                }
            }
        }
    };
}

kinds! {
    /// Names for what rows have in common.
    Figures: "figures",
    /// Figures in rows and columns.
    Table: "table",
    /// Questions that a reader answers.
    Predict: "predict",
    /// What things cost.
    Costs: "costs",
    /// What a request takes, by prices and counts.
    Bill: "bill",
    /// Such bills of what was measured as a whole.
    Bills: "bills",
    /// A sentence with a predicate.
    Claim: "claim",
    /// A family of such sentences.
    Claims: "claims",
    /// Rows, drawn.
    Chart: "chart",
    /// The same programs in two settings.
    Pairs: "pairs",
    /// Recorded operations.
    Timeline: "timeline",
}
