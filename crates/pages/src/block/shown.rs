use crate::assets::Script;
use crate::html::Html;

/// The HTML that replaces a block on the page, with the script that it loads.
#[derive(Default)]
pub(crate) struct Shown {
    pub html: String,
    pub id: Option<String>,
    /// The script that contains the chart's data. It is loaded when the chart is drawn.
    pub script: Option<Script>,
}

impl From<Html> for Shown {
    /// Adds blank lines, so that Markdown treats the HTML as a separate block.
    fn from(Html(html): Html) -> Shown {
        Shown { html: format!("\n{html}\n\n"), ..Shown::default() }
    }
}
