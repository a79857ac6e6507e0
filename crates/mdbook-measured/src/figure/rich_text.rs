//! A line of text with figures in it, which is written twice: as HTML with every interval, and as plain
//! text without, but for intervals without which a figure misleads.

use maud::{Markup, PreEscaped, html};

use crate::html::Escaped;

/// Words, figures and links, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct RichText(Vec<RichPiece>);

#[derive(Debug, Clone)]
enum RichPiece {
    Words(String),
    /// A figure with its interval, which a pointer, a screen reader and a button bring forward.
    Figure(FigureText),
    /// Anything else: as HTML, and in plain words.
    Other {
        html: String,
        plain: String,
    },
    /// What the reader's own run says, behind what the reference says.
    Yours(RichText),
}

/// A figure as it is told.
#[derive(Debug, Clone)]
pub(crate) struct FigureText {
    /// Whose it is.
    pub(crate) of: String,
    /// The figure, in words.
    pub(crate) figure: String,
    /// Its interval, or why there is none.
    pub(crate) range: String,
    /// Whether the interval stands beside it unasked: then the figure alone would mislead.
    pub(crate) is_open: bool,
}

impl FigureText {
    /// What was not measured, and why.
    pub(crate) fn not_measured(of: String, reason: String) -> FigureText {
        FigureText { of, figure: "not measured".to_owned(), range: reason, is_open: false }
    }

    /// The figure, in which a unit stays beside its number: what is behind a digit.
    fn unbroken(&self) -> String {
        let mut was_digit = false;
        let unbroken = |c: char| {
            let stays = was_digit && c == ' ';
            was_digit = c.is_ascii_digit();
            if stays { '\u{a0}' } else { c }
        };
        self.figure.chars().map(unbroken).collect()
    }

    fn html(&self) -> Markup {
        let class = if self.is_open { "measured-open" } else { "measured-interval" };
        html! {
            span.measured-number data-of=(Escaped(&self.of)) {
                (Escaped(self.unbroken()))
                span class=(class) { " (" (Escaped(&self.range)) ")" }
            }
        }
    }

    fn plain(&self) -> String {
        let range = if self.is_open { format!(" ({})", self.range) } else { String::new() };
        self.unbroken() + &range
    }
}

impl RichText {
    /// Adds words.
    pub(crate) fn words(&mut self, words: impl Into<String>) {
        self.0.push(RichPiece::Words(words.into()));
    }

    /// Adds a figure.
    pub(crate) fn figure(&mut self, told: FigureText) {
        self.0.push(RichPiece::Figure(told));
    }

    /// Adds what has a form of its own, and the words for where it has none.
    pub(crate) fn other(&mut self, html: Markup, plain: impl Into<String>) {
        self.0.push(RichPiece::Other { html: html.into_string(), plain: plain.into() });
    }

    /// Adds what the reader's own run says.
    pub(crate) fn yours(&mut self, own: RichText) {
        self.0.push(RichPiece::Yours(own));
    }

    /// Adds another line.
    pub(crate) fn append(&mut self, mut other: RichText) {
        self.0.append(&mut other.0);
    }

    /// As HTML, each figure with its interval.
    pub(crate) fn html(&self) -> Markup {
        self.with_words(&|words| html! { (Escaped(words)) })
    }

    /// The same, in whose words `code` between backticks is code.
    pub(crate) fn html_with_code(&self) -> Markup {
        self.with_words(&|words| {
            html! {
                @for (place, piece) in words.split('`').enumerate() {
                    @if place % 2 == 1 { code { (Escaped(piece)) } } @else { (Escaped(piece)) }
                }
            }
        })
    }

    fn with_words(&self, words: &dyn Fn(&str) -> Markup) -> Markup {
        html! {
            @for piece in &self.0 {
                @match piece {
                    RichPiece::Words(text) => (words(text)),
                    RichPiece::Figure(told) => (told.html()),
                    RichPiece::Other { html, .. } => (PreEscaped(html)),
                    RichPiece::Yours(own) => {
                        " " span.measured-yours { "(yours: " (own.with_words(words)) ")" }
                    },
                }
            }
        }
    }

    /// As plain text without intervals but those that stand open, not yet escaped.
    pub(crate) fn plain(&self) -> String {
        let plain = self.0.iter().map(|piece| match piece {
            RichPiece::Words(words) => words.clone(),
            RichPiece::Figure(told) => told.plain(),
            RichPiece::Other { plain, .. } => plain.clone(),
            RichPiece::Yours(own) => format!(" (yours: {})", own.plain()),
        });
        plain.collect()
    }

    /// The same for where no interval has room. What the reader's own run says is left out there if it would
    /// mislead.
    ///
    /// # Errors
    ///
    /// With the first other figure that would.
    pub(crate) fn plain_without_intervals(&self) -> Result<String, &FigureText> {
        let plain = self.0.iter().map(|piece| match piece {
            RichPiece::Words(words) => Ok(words.clone()),
            RichPiece::Figure(told) if told.is_open => Err(told),
            RichPiece::Figure(told) => Ok(told.plain()),
            RichPiece::Other { plain, .. } => Ok(plain.clone()),
            RichPiece::Yours(own) => {
                let own = own.plain_without_intervals();
                Ok(own.map_or(String::new(), |own| format!(" (yours: {own})")))
            }
        });
        plain.collect()
    }
}

impl From<FigureText> for RichText {
    fn from(told: FigureText) -> RichText {
        RichText(vec![RichPiece::Figure(told)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_with_intervals_and_without() {
        let mut line = RichText::default();
        line.words("`tokio` & ");
        let (of, figure, range) = ("a: <b>".into(), "1.5 µs".into(), "1 to 2 µs".into());
        line.figure(FigureText { of, figure, range, is_open: false });
        line.yours(FigureText::not_measured("a".into(), "no socket".into()).into());
        assert_eq!(line.plain(), "`tokio` & 1.5\u{a0}µs (yours: not measured)");
        let html = line.html_with_code().into_string();
        assert!(html.starts_with("<code>tokio</code> &amp; <span class=\"measured-number\" data-of=\"a: &lt;b&gt;\">1.5\u{a0}µs<span class=\"measured-interval\"> (1 to 2 µs)</span></span>"), "{html}");
        assert!(line.html().into_string().starts_with("&#96;tokio&#96;"));
    }

    #[test]
    fn an_interval_without_which_a_figure_misleads_stands_beside_it_unasked() {
        let (of, figure, range) = ("a".into(), "1 µs".into(), "-1 to 3 µs".into());
        let open = FigureText { of, figure, range, is_open: true };
        let line = RichText::from(open.clone());
        assert_eq!(line.plain(), "1\u{a0}µs (-1 to 3 µs)");
        // Where it has no room, there is no such figure.
        assert_eq!(line.plain_without_intervals().unwrap_err().of, "a");
        let mut ours = RichText::from(FigureText { is_open: false, ..open.clone() });
        ours.yours(open.into());
        assert_eq!(ours.plain_without_intervals().unwrap(), "1\u{a0}µs");
        let html = line.html().into_string();
        assert!(
            html.ends_with("<span class=\"measured-open\"> (-1 to 3 µs)</span></span>"),
            "{html}"
        );
    }
}
