//! Rendering fenced blocks.

mod bill;
mod bills;
mod claims;
mod predict;
mod shown;
pub(crate) mod table;

pub(crate) use shown::Shown;

use language::block::{BlockError, BlockKind};
use language::page::FencedBlock;

use crate::chart::{dots, price_list, render_chart, timeline};
use crate::on_page::OnPage;

/// Renders a block of the given kind. The line number of an error is relative to the block.
pub(crate) fn render(
    kind: BlockKind,
    block: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    match kind {
        // These blocks were parsed earlier. Claims are shown at the end of their section.
        BlockKind::Figures | BlockKind::Claim => Ok(Shown::default()),
        BlockKind::Table => table::render(block, on),
        BlockKind::Predict => predict::render(block, on),
        BlockKind::Costs => price_list::render(block, on),
        BlockKind::Bill => bill::render(block, on),
        BlockKind::Bills => bills::render(block, on),
        BlockKind::Claims => claims::render(block, on),
        BlockKind::Chart => render_chart::render(block, on),
        BlockKind::Dots => dots::render(block, on),
        BlockKind::Timeline => timeline::render(block, on),
    }
}
