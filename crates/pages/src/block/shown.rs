//! The result of rendering a block.

use crate::assets::Script;
use crate::html::Html;

/// A rendered block, which replaces its source on the page.
#[derive(Default)]
pub(crate) struct Shown {
    pub html: String,
    /// The id for links to the chart.
    pub id: Option<String>,
    /// The script that the block needs once it is drawn.
    pub script: Option<Script>,
}

impl From<Html> for Shown {
    /// Adds blank lines, so that the HTML is a separate block in Markdown.
    fn from(Html(html): Html) -> Shown {
        Shown { html: format!("\n{html}\n\n"), ..Shown::default() }
    }
}
