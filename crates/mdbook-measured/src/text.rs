//! A line of text with figures in it, which is written twice: as HTML with every interval, and as plain
//! text without.

use maud::{Markup, PreEscaped, html};

use crate::html::Text;

/// Words, figures and links, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    Words(String),
    /// A figure with its interval, which a pointer, a screen reader and a button bring forward.
    Figure(Told),
    /// Anything else: as HTML, and in plain words.
    Other {
        html: String,
        plain: String,
    },
    /// What the reader's own run says, behind what the reference says.
    Yours(Line),
}

/// A figure as it is told.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    /// Whose it is.
    pub(crate) of: String,
    /// The figure, in words.
    pub(crate) figure: String,
    /// Its interval, or why there is none.
    pub(crate) range: String,
}

impl Told {
    /// What was not measured, and why.
    pub(crate) fn not_measured(of: String, reason: String) -> Told {
        Told { of, figure: "not measured".to_owned(), range: reason }
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
        html! {
            span.measured-number data-of=(Text(&self.of)) {
                (Text(self.unbroken()))
                span.measured-interval { " (" (Text(&self.range)) ")" }
            }
        }
    }
}

impl Line {
    /// Adds words.
    pub(crate) fn words(&mut self, words: impl Into<String>) {
        self.0.push(Piece::Words(words.into()));
    }

    /// Adds a figure.
    pub(crate) fn figure(&mut self, told: Told) {
        self.0.push(Piece::Figure(told));
    }

    /// Adds what has a form of its own, and the words for where it has none.
    pub(crate) fn other(&mut self, html: Markup, plain: impl Into<String>) {
        self.0.push(Piece::Other { html: html.into_string(), plain: plain.into() });
    }

    /// Adds what the reader's own run says.
    pub(crate) fn yours(&mut self, own: Line) {
        self.0.push(Piece::Yours(own));
    }

    /// Adds another line.
    pub(crate) fn append(&mut self, mut other: Line) {
        self.0.append(&mut other.0);
    }

    /// As HTML, each figure with its interval.
    pub(crate) fn html(&self) -> Markup {
        self.with_words(&|words| html! { (Text(words)) })
    }

    /// The same, in whose words `code` between backticks is code.
    pub(crate) fn html_with_code(&self) -> Markup {
        self.with_words(&|words| {
            html! {
                @for (place, piece) in words.split('`').enumerate() {
                    @if place % 2 == 1 { code { (Text(piece)) } } @else { (Text(piece)) }
                }
            }
        })
    }

    fn with_words(&self, words: &dyn Fn(&str) -> Markup) -> Markup {
        html! {
            @for piece in &self.0 {
                @match piece {
                    Piece::Words(text) => (words(text)),
                    Piece::Figure(told) => (told.html()),
                    Piece::Other { html, .. } => (PreEscaped(html)),
                    Piece::Yours(own) => {
                        " " span.measured-yours { "(yours: " (own.with_words(words)) ")" }
                    },
                }
            }
        }
    }

    /// As plain text without intervals, not yet escaped.
    pub(crate) fn plain(&self) -> String {
        let plain = self.0.iter().map(|piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Figure(told) => told.unbroken(),
            Piece::Other { plain, .. } => plain.clone(),
            Piece::Yours(own) => format!(" (yours: {})", own.plain()),
        });
        plain.collect()
    }
}

impl From<Told> for Line {
    fn from(told: Told) -> Line {
        Line(vec![Piece::Figure(told)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_with_intervals_and_without() {
        let mut line = Line::default();
        line.words("`tokio` & ");
        let (of, figure, range) = ("a: <b>".into(), "1.5 µs".into(), "1 to 2 µs".into());
        line.figure(Told { of, figure, range });
        line.yours(Told::not_measured("a".into(), "no socket".into()).into());
        assert_eq!(line.plain(), "`tokio` & 1.5\u{a0}µs (yours: not measured)");
        let html = line.html_with_code().into_string();
        assert!(html.starts_with("<code>tokio</code> &amp; <span class=\"measured-number\" data-of=\"a: &lt;b&gt;\">1.5\u{a0}µs<span class=\"measured-interval\"> (1 to 2 µs)</span></span>"), "{html}");
        assert!(line.html().into_string().starts_with("&#96;tokio&#96;"));
    }
}
