//! What becomes of a block.

use crate::assets::Script;
use crate::html::Html;

/// What stands in the place of a block.
#[derive(Default)]
pub(crate) struct Shown {
    pub html: String,
    /// By what a chart is linked to.
    pub id: Option<String>,
    /// What it needs when it is drawn.
    pub script: Option<Script>,
}

impl From<Html> for Shown {
    /// A block of its own in Markdown.
    fn from(Html(html): Html) -> Shown {
        Shown { html: format!("\n{html}\n\n"), ..Shown::default() }
    }
}
