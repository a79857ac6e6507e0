//! What a kind of fenced block is.

use crate::assets::Script;
use crate::html::Html;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::toml_block::BlockError;

/// A kind of fenced block.
pub(crate) struct BlockKind {
    /// The word behind the fence.
    pub(crate) word: &'static str,
    /// What an author has to know of it, for `LANGUAGE.md`.
    pub(crate) language: &'static str,
    /// Reads it, and gives what stands in its place; what is wrong has its line within the block.
    pub(crate) render: fn(&FencedBlock, &OnPage<'_>) -> Result<Shown, BlockError>,
}

/// What stands in the place of a block.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) html: String,
    /// By what a chart is linked to.
    pub(crate) id: Option<String>,
    /// What it needs when it is drawn.
    pub(crate) script: Option<Script>,
}

impl From<Html> for Shown {
    /// A block of its own in Markdown.
    fn from(Html(html): Html) -> Shown {
        Shown { html: format!("\n{html}\n\n"), ..Shown::default() }
    }
}
