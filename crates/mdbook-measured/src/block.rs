//! Fenced blocks, a file each: how it is read, what stands in its place, and what an author has to know of it.

pub(crate) mod block_kind;
mod chart;
mod claim;
mod claims;
mod costs;
mod figures;
mod pairs;
mod predict;
pub(crate) mod slider;
mod table;
mod timeline;

use block_kind::BlockKind;

/// All kinds.
pub(crate) const BLOCKS: [BlockKind; 10] = [
    figures::FIGURES,
    table::TABLE,
    predict::PREDICT,
    slider::SLIDER,
    costs::COSTS,
    claim::CLAIM,
    claims::CLAIMS,
    chart::CHART,
    pairs::PAIRS,
    timeline::TIMELINE,
];
