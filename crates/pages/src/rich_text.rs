//! A line of text with figures, in two forms. The HTML form has an interval for every figure. The
//! plain-text form has only the intervals without which a figure would mislead.

use findings::figure::FigureText;
use language::pattern;
use measurement::number_format::UNKNOWN_FIGURE;

use crate::html::{Html, ToHtml, each, html};

/// Words, figures and links, both as HTML and as plain text.
#[derive(Debug, Clone, Default)]
pub(crate) struct RichText {
    html: Html,
    plain: String,
    /// The first figure in the text that would mislead without its interval.
    misleads: Option<FigureText>,
}

impl RichText {
    /// Creates text from words, with code between backticks.
    pub(crate) fn words(words: &str) -> RichText {
        let html = each(words.split('`').enumerate(), |(place, piece)| match place % 2 {
            0 => html!("{}", piece),
            _ => html!("<code>{}</code>", piece),
        });
        RichText::other(html, words)
    }

    /// Creates the text from an HTML form and a plain-text form.
    pub(crate) fn other(html: Html, plain: &str) -> RichText {
        RichText { html, plain: plain.to_owned(), misleads: None }
    }

    /// Appends the reader's own figure, as `(yours: …)`.
    pub(crate) fn yours(&mut self, own: RichText) {
        let html = html!(" <span class=\"measured-yours\">(yours: {})</span>", own);
        self.html.0 += &html.0;
        self.plain += &format!(" (yours: {})", own.plain);
    }

    pub(crate) fn append(&mut self, other: RichText) {
        self.html.0 += &other.html.0;
        self.plain += &other.plain;
        self.misleads = self.misleads.take().or(other.misleads);
    }

    /// Returns the HTML form. An interval appears when a pointer, a screen reader or a button
    /// asks for it.
    pub(crate) fn html(&self) -> Html {
        self.html.clone()
    }

    /// Returns the plain-text form, which isn't escaped.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// Returns the plain-text form, for a place without room for intervals. Fails if a figure
    /// would mislead there, unless it is the reader's own. The error is the first such figure.
    pub(crate) fn plain_without_intervals(&self) -> Result<&str, &FigureText> {
        self.misleads.as_ref().map_or(Ok(&self.plain), Err)
    }
}

impl ToHtml for RichText {
    fn to_html(&self) -> String {
        self.html.to_html()
    }
}

impl From<FigureText> for RichText {
    fn from(told: FigureText) -> RichText {
        let figure = unbroken(&told.figure);
        // A figure that isn't known is shown as a dash, which needs no interval.
        let class = if told.is_open && told.figure != UNKNOWN_FIGURE {
            "measured-open"
        } else {
            "measured-interval"
        };
        let range = match &*told.range {
            "" => String::new(),
            range => format!(" ({range})"),
        };
        let interval =
            (!range.is_empty()).then(|| html!("<span class=\"{}\">{}</span>", class, range));
        let html = html!(
            "<span class=\"measured-number\" data-of=\"{}\">{}{}</span>",
            told.of,
            figure,
            interval
        );
        let open = if told.is_open { &range } else { "" };
        let text = RichText::other(html, &(figure + open));
        RichText { misleads: told.is_open.then_some(told), ..text }
    }
}

/// Returns `text` with non-breaking spaces that keep each number and its unit on one line.
pub(crate) fn unbroken(text: &str) -> String {
    pattern!("([0-9÷×]) ").replace_all(text, "$1\u{a0}").into_owned()
}
