//! The context of a chart: what it needs to know of its page.

use crate::config::Config;
use crate::data::Data;
use crate::figure::rich_text::RichText;
use crate::figure::selector::Selector;

/// What a chart needs to know of the page that it is on.
pub(crate) struct ChartContext<'a> {
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    /// The chapter whose rows are meant where none is named.
    pub(crate) chapter: &'a str,
    /// Puts what the directives of a title ask for into it.
    pub(crate) inline: &'a dyn Fn(&str) -> Result<RichText, String>,
    /// What a context stands for.
    pub(crate) selector: &'a dyn Fn(&str) -> Result<Selector, String>,
}
