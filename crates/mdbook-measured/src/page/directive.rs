//! Directives: what stands between `{{` and `}}`, read once. The table of them is their parser and their
//! documentation.

use crate::claim::agreement::{AGREEMENTS, Agreement};
use crate::figure::Subject;
use crate::figure::names::FigureNames;
use crate::figure::selector::{Selector, Term, nearest};

/// A directive that has been read.
#[derive(Debug, Clone)]
pub(crate) enum Directive {
    /// The figure of a row, or of a ratio.
    Figure(Subject),
    /// The least of a row's visits.
    Least(Selector),
    /// A ratio as a factor.
    Factor(Subject),
    /// Rows in the order of their figures.
    Order(Selector),
    /// The verdict on a claim, by its id, which on a page of its chapter needs no chapter.
    Claim(String),
    /// A figure of a published claim.
    Published { id: String, figure: String },
    /// The value of a parameter that rows have.
    Parameter { rows: Selector, value: String },
    /// What nobody measured, and where it is from.
    Fact { words: String, source: String },
    /// SVG files, relative to the page, side by side where there is room.
    Drawing(Vec<String>),
    /// The claims on which machines stand so to each other; without a kind, how many there are of each.
    Agreement(Option<Agreement>),
    /// What stands for itself: a table of all there is of something.
    All(All),
}

/// What all there is of is put in as a table, or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum All {
    /// The claims of the book.
    Claims,
    /// The published claims, and ours that answer them.
    Ledger,
    /// The machines.
    Machines,
    /// How quiet each machine was.
    Conditions,
    /// What each run makes of what the others say.
    Runs,
}

/// A directive as an author meets it.
pub(crate) struct DirectiveForm {
    /// The word that it begins with.
    pub(crate) word: &'static str,
    /// How it is written, without braces.
    pub(crate) form: &'static str,
    /// What becomes of it.
    pub(crate) becomes: &'static str,
    /// Reads what stands behind the word.
    read: fn(&str, &FigureNames) -> Result<Directive, DirectiveError>,
}

/// Why a directive cannot be read.
enum DirectiveError {
    /// It has not the form.
    Form,
    /// In words.
    Because(String),
}

impl From<String> for DirectiveError {
    fn from(message: String) -> DirectiveError {
        DirectiveError::Because(message)
    }
}

/// All directives.
pub(crate) const DIRECTIVES: [DirectiveForm; 16] = [
    DirectiveForm {
        word: "number",
        form: "number units: rayon, units=1000 - baseline",
        becomes: "the estimate of a row with its unit, and its interval for who asks for it; behind a ` - ` what is taken from it, with the interval in the open where that may be nothing; `a: ... * b: ... / c: ...` is the share that two rows make of a third, with the widest interval that theirs allow; `1000 x a: b + c` is what so many take that take all of these each",
        read: |rest, names| Ok(Directive::Figure(names.value(rest)?)),
    },
    DirectiveForm {
        word: "ratio",
        form: "ratio units: std::thread, units=1000 / rayon",
        becomes: "the ratio of two rows, with its interval in the open where it may be 1; the right side inherits what it does not name, and each may be a difference",
        read: |rest, names| Ok(Directive::Figure(ratio(rest, names)?)),
    },
    DirectiveForm {
        word: "least",
        form: "least units: rayon, units=1000",
        becomes: "the least of a row's visits, and how many of them are within twice that, `62 µs (4 of 10 visits near)`: for tails, which something raises in some visits and not in others",
        read: |rest, names| Ok(Directive::Least(names.selector(rest)?)),
    },
    DirectiveForm {
        word: "factor",
        form: "factor units: std::thread, units=1000 / rayon",
        becomes: "the ratio as `× 34` or `÷ 3`; where the next run's may be 1, as `× 1.02 (0.86 to 1.14)`",
        read: |rest, names| Ok(Directive::Factor(ratio(rest, names)?)),
    },
    DirectiveForm {
        word: "order",
        form: "order units: units=1000",
        becomes: "rows that differ in one thing, from the lowest figure to the highest, and which this machine does not tell apart",
        read: |rest, names| Ok(Directive::Order(names.selector(rest)?)),
    },
    DirectiveForm {
        word: "claim",
        form: "claim spawn-cost.threads",
        becomes: "the verdict on the claim, linked to it; `claim threads` on a page of its own chapter",
        read: |rest, _| Ok(Directive::Claim(rest.to_owned())),
    },
    DirectiveForm {
        word: "published",
        form: "published spawning.spawn-overhead tokio::spawn",
        becomes: "a published figure, linked to the ledger",
        read: |rest, _| {
            let parts = rest.split_once(' ').ok_or(DirectiveError::Form)?;
            Ok(Directive::Published { id: parts.0.to_owned(), figure: parts.1.to_owned() })
        },
    },
    DirectiveForm {
        word: "parameter",
        form: "parameter units: units=1000",
        becomes: "the value, if rows have it",
        read: parameter,
    },
    DirectiveForm {
        word: "fact",
        form: "fact \"512 KiB\" where it is from",
        becomes: "a constant that nobody measured, with its source",
        read: fact,
    },
    DirectiveForm {
        word: "drawing",
        form: "drawing spawn-cost/thread.svg spawn-cost/task.svg",
        becomes: "drawings from files beside the page, side by side where there is room; each has a `viewBox`, `role=\"img\"`, a `<title>`, a `<desc>`, the theme's colours, and in its texts directives; no figure that would mislead without its interval",
        read: |rest, _| match rest {
            "" => Err(DirectiveError::Form),
            files => Ok(Directive::Drawing(files.split(' ').map(str::to_owned).collect())),
        },
    },
    DirectiveForm {
        word: "claims",
        form: "claims",
        becomes: "all claims of the book, with their verdicts",
        read: |rest, _| all(rest, All::Claims),
    },
    DirectiveForm {
        word: "agreement",
        form: "agreement holds",
        becomes: "the claims that hold on every machine that judged them, with what was found on each: as far as two machines or more did, by the present method; likewise those that `fails` on all, are `opposite` on two, or `undecided` on one; alone, how many there are of each",
        read: agreement,
    },
    DirectiveForm {
        word: "ledger",
        form: "ledger",
        becomes: "the replication ledger",
        read: |rest, _| all(rest, All::Ledger),
    },
    DirectiveForm {
        word: "machines",
        form: "machines",
        becomes: "the machines",
        read: |rest, _| all(rest, All::Machines),
    },
    DirectiveForm {
        word: "conditions",
        form: "conditions",
        becomes: "how quiet each machine was in each of its runs, and on which of its boots that was",
        read: |rest, _| all(rest, All::Conditions),
    },
    DirectiveForm {
        word: "runs",
        form: "runs",
        becomes: "what each run of a machine makes of what the others say: held out in turn, whether its figures lie inside their intervals, and on which side of their verdicts",
        read: |rest, _| all(rest, All::Runs),
    },
];

impl Directive {
    /// Reads what stands between the braces, its words one space apart.
    ///
    /// # Errors
    ///
    /// In words, with the form that was expected.
    pub(crate) fn read(text: &str, names: &FigureNames) -> Result<Directive, String> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let Some(form) = DIRECTIVES.iter().find(|form| form.word == word) else {
            let known: Vec<&str> = DIRECTIVES.iter().map(|form| form.word).collect();
            return Err(format!("no directive is {word:?}{}", nearest(word, &known)));
        };
        (form.read)(rest, names).map_err(|wrong| match wrong {
            DirectiveError::Form => format!("write it as {{{{{}}}}}", form.form),
            DirectiveError::Because(message) => message,
        })
    }
}

fn ratio(rest: &str, names: &FigureNames) -> Result<Subject, String> {
    let (left, right): (Term, Term) = names.ratio(rest)?;
    Ok(Subject::Ratio(left, right))
}

fn parameter(rest: &str, names: &FigureNames) -> Result<Directive, DirectiveError> {
    let rows = names.selector(rest)?;
    match &rows.parameters[..] {
        [(_, value)] => Ok(Directive::Parameter { value: value.clone(), rows }),
        _ => Err(DirectiveError::Form),
    }
}

fn fact(rest: &str, _: &FigureNames) -> Result<Directive, DirectiveError> {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (words, source) = quoted.ok_or(DirectiveError::Form)?;
    match source.trim() {
        "" => Err(DirectiveError::Form),
        source => Ok(Directive::Fact { words: words.to_owned(), source: source.to_owned() }),
    }
}

fn agreement(rest: &str, _: &FigureNames) -> Result<Directive, DirectiveError> {
    let known = AGREEMENTS.iter().find(|(word, _)| *word == rest);
    match (rest, known) {
        ("", _) => Ok(Directive::Agreement(None)),
        (_, Some((_, agreement))) => Ok(Directive::Agreement(Some(*agreement))),
        (_, None) => Err(DirectiveError::Form),
    }
}

fn all(rest: &str, all: All) -> Result<Directive, DirectiveError> {
    if rest.is_empty() { Ok(Directive::All(all)) } else { Err(DirectiveError::Form) }
}

/// A text with directives in it, in one line.
#[derive(Debug, Clone)]
pub(crate) struct InlineText(pub(crate) Vec<InlinePiece>);

/// A piece of such a text.
#[derive(Debug, Clone)]
pub(crate) enum InlinePiece {
    Words(String),
    Directive(Box<Directive>),
}

impl InlineText {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// In words, if one of its directives cannot be read.
    pub(crate) fn read(text: &str, names: &FigureNames) -> Result<InlineText, String> {
        let (mut pieces, mut end) = (Vec::new(), 0);
        for found in scan(text) {
            pieces.push(InlinePiece::Words(text[end..found.range.start].to_owned()));
            pieces.push(InlinePiece::Directive(Box::new(Directive::read(&found.text?, names)?)));
            end = found.range.end;
        }
        pieces.push(InlinePiece::Words(text[end..].to_owned()));
        Ok(InlineText(pieces))
    }
}

/// A directive in a text.
pub(crate) struct DirectiveSource {
    /// Where it stands, with its braces.
    pub(crate) range: std::ops::Range<usize>,
    /// What is between them, its words one space apart; or that they are never closed.
    pub(crate) text: Result<String, String>,
}

/// `{{...}}`, but mdBook's own `{{#...}}`, and what is escaped.
pub(crate) fn scan(text: &str) -> Vec<DirectiveSource> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find("{{").map(|found| from + found) {
        from = start + 2;
        let rest = &text[from..];
        if text[..start].ends_with('\\') || rest.starts_with('#') {
            continue;
        }
        // One that is never closed is reported as what it looks like.
        let end = rest.find("}}").filter(|&end| !rest[..end].contains("\n\n"));
        let (text, end) = match end {
            Some(end) => {
                (Ok(rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")), from + end + 2)
            }
            None => (Err(UNCLOSED.to_owned()), from),
        };
        all.push(DirectiveSource { range: start..end, text });
        from = end;
    }
    all
}

const UNCLOSED: &str =
    "a directive begins here and is never closed: write `}}` behind it, or `\\{{` if it is none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_as_what_it_is() {
        for form in DIRECTIVES {
            let read = Directive::read(form.form, &FigureNames::default());
            assert!(form.form.starts_with(form.word) && read.is_ok(), "{}: {read:?}", form.form);
        }
    }

    #[test]
    fn what_is_no_directive_is_refused() {
        for (bad, expected) in [
            ("numbr units: a", "no directive is \"numbr\"; the nearest:\n    number"),
            ("number", "a row is asked for as"),
            ("number thread", "or by a name of a `figures` block"),
            ("ratio units: a", "a ratio is `experiment: contender, ... / contender, ...`"),
            ("factor units: a; throughput", "a ratio is"),
            ("order units", "a row is asked for as"),
            ("published a.b", "write it as {{published "),
            ("parameter units: a", "write it as {{parameter "),
            ("fact 512 KiB", "{{fact \"512 KiB\" where it is from}}"),
            ("fact \"512 KiB\"", "{{fact \"512 KiB\" where it is from}}"),
            ("drawing", "write it as {{drawing "),
            ("agreement nowhere", "write it as {{agreement "),
            ("ledger all", "write it as {{ledger}}"),
        ] {
            let message = Directive::read(bad, &FigureNames::default()).unwrap_err();
            assert!(message.contains(expected), "{bad}: {message}");
        }
    }

    #[test]
    fn a_text_is_words_and_directives() {
        let pieces = |text: &str| {
            InlineText::read(text, &FigureNames::default()).map(|inline| inline.0.len())
        };
        assert_eq!(pieces("a {{ledger}} b {{runs}}"), Ok(5));
        assert_eq!(pieces("a \\{{ledger}} {{#include b}}"), Ok(1));
        assert!(pieces("a {{ledger").unwrap_err().contains("never closed"));
    }
}
