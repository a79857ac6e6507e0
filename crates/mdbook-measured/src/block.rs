//! Fenced blocks: of each kind how it is read and what stands in its place, and in a file of its own, `block/<kind>.md`,
//! what an author has to know of it.

mod bill;
mod bills;
mod claims;
mod predict;
mod shown;
pub(crate) mod table;
mod toml_block;

pub(crate) use shown::Shown;
pub(crate) use toml_block::{At, BlockError, Place, check_id, from_toml, wrong};

use crate::chart::{pairs, price_list, render_chart, timeline};
use crate::page::{FencedBlock, OnPage};

/// A kind of fenced block.
pub(crate) struct BlockKind {
    /// The word behind the fence.
    pub word: &'static str,
    /// What an author has to know of it, for `LANGUAGE.md`.
    pub language: &'static str,
    /// Reads it, and gives what stands in its place; what is wrong has its line within the block.
    pub render: fn(&FencedBlock, &OnPage<'_>) -> Result<Shown, BlockError>,
}

macro_rules! kinds {
    ($($word:literal: $render:expr,)*) => {
        [$(BlockKind {
            word: $word,
            language: include_str!(concat!("block/", $word, ".md")),
            render: $render,
        }),*]
    };
}

/// All kinds. The page has read its names and its claims, whose cards fold at the end of their section.
pub(crate) const BLOCKS: [BlockKind; 11] = kinds! {
    "figures": |_, _| Ok(Shown::default()),
    "table": table::render,
    "predict": predict::render,
    "costs": price_list::render,
    "bill": bill::render,
    "bills": bills::render,
    "claim": |_, _| Ok(Shown::default()),
    "claims": claims::render,
    "chart": render_chart::render,
    "pairs": pairs::render,
    "timeline": timeline::render,
};
