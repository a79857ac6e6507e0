//! The result of rendering a block.

use crate::assets::Script;
use crate::html::Html;

/// The replacement of a block.
#[derive(Default)]
pub(crate) struct Shown {
    pub html: String,
    /// The id by which a chart is linked.
    pub id: Option<String>,
    /// The script that the block needs once it is drawn.
    pub script: Option<Script>,
}

impl From<Html> for Shown {
    /// Makes it a separate block in Markdown.
    fn from(Html(html): Html) -> Shown {
        Shown { html: format!("\n{html}\n\n"), ..Shown::default() }
    }
}
