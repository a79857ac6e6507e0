//! Directives such as `{{number …}}`, which are replaced when a page is rendered. One table of
//! directives serves both as the parser and as the documentation.

use crate::names::FigureNames;
use crate::selector::nearest;
use crate::subject::Subject;

/// A parsed directive, in which names from the page's `figures` block are resolved.
#[derive(Debug)]
pub enum Directive {
    /// A measured figure.
    Figure(Subject),
    /// A figure that somebody else published, given by the id of the published claim and the key
    /// of the figure.
    Published(String, String),
    /// A constant that was not measured, and the source that states it.
    Fact(String, String),
    /// Drawings, given by the paths of their files.
    Drawing(Vec<String>),
    /// The index of all claims of the book, with their verdicts.
    Claims,
    /// The ledger of published claims and their outcomes.
    Ledger,
    /// A description of the machines on which the data were measured.
    Machines,
    /// A table of how often two measurements of the same thing ("twins") were judged to differ.
    Twins,
}

/// Parses the text of a directive after its first word. Returns `None` if the text has the wrong
/// form.
type Read = fn(&str, &FigureNames) -> Result<Option<Directive>, String>;

/// All directives. Each has an example (whose first word is the name of the directive), a
/// description of what replaces it, and a parser.
pub const DIRECTIVES: [(&str, &str, Read); 10] = [
    (
        "number units: rayon, units=1000 - baseline",
        "the estimate of a row with its unit, and its interval for who asks for it; behind a ` - ` what is taken from it, with the interval in the open where that may be nothing; `a: ... * b: ... / c: ...` is the share that two rows make of a third, with the widest interval that theirs allow; `1000 x a: b + c` is what so many take that take all of these each",
        |rest, names| Ok(Some(Directive::Figure(names.value(rest)?))),
    ),
    (
        "ratio units: std::thread, units=1000 / rayon",
        "the ratio of two rows, with its interval in the open where it may be 1; the right side inherits what it does not name, and each may be a difference",
        |rest, names| Ok(Some(Directive::Figure(names.ratio(rest)?))),
    ),
    (
        "claim spawn-cost.threads",
        "stands in a parenthesis, `({{claim a}}, {{claim b}})`, behind the figure that it judges, and `claim threads` on a page of its own chapter. The parenthesis goes, and the figure before it in the sentence links to the claim, unless there is one of two things to say, linked: *undecided here*, with the bound if that is all that is open, or *the opposite on AMD*",
        |_, _| {
            Err("a claim stands in a parenthesis with nothing else, behind the figure that it judges: write \
                 `({{claim a}})` or `({{claim a}}, {{claim b}})`".to_owned())
        },
    ),
    (
        "published spawning.spawn-overhead tokio::spawn",
        "a published figure, linked to the ledger",
        published,
    ),
    ("fact \"512 KiB\" where it is from", "a constant that nobody measured, with its source", fact),
    (
        "drawing spawn-cost/thread.svg spawn-cost/task.svg",
        "drawings from files beside the page, side by side where there is room; each has a `viewBox`, `role=\"img\"`, a `<title>`, a `<desc>`, the theme's colours, and in its texts directives; no figure that would mislead without its interval",
        drawing,
    ),
    ("claims", "all claims of the book, with their verdicts", |_, _| Ok(Some(Directive::Claims))),
    (
        "ledger",
        "the replication ledger: what others said, what was measured here, and what became of it, as the file of published claims says under `in_their_shape`, `in_ours` and `outcome`",
        |_, _| Ok(Some(Directive::Ledger)),
    ),
    ("machines", "the machines", |_, _| Ok(Some(Directive::Machines))),
    (
        "twins",
        "of the pairs of twins on each machine, how many the rule for claims calls different",
        |_, _| Ok(Some(Directive::Twins)),
    ),
];

/// Parses the text between the braces. Words must be separated by single spaces.
pub fn ask(text: &str, names: &FigureNames) -> Result<Directive, String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let words = DIRECTIVES.map(|(form, ..)| form.split(' ').next().unwrap_or_default());
    let Some(place) = words.iter().position(|known| *known == word) else {
        return Err(format!("no directive is {word:?}{}", nearest(word, words)));
    };
    let (form, _, read) = DIRECTIVES[place];
    let has_too_much = form == word && !rest.is_empty();
    let asked = if has_too_much { None } else { read(rest, names)? };
    asked.ok_or_else(|| format!("write it as {{{{{form}}}}}"))
}

fn published(rest: &str, _: &FigureNames) -> Result<Option<Directive>, String> {
    let found = rest.split_once(' ');
    Ok(found.map(|(id, figure)| Directive::Published(id.to_owned(), figure.to_owned())))
}

fn fact(rest: &str, _: &FigureNames) -> Result<Option<Directive>, String> {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let quoted = quoted.map(|(words, source)| (words.to_owned(), source.trim().to_owned()));
    let quoted = quoted.filter(|(_, source)| !source.is_empty());
    Ok(quoted.map(|(words, source)| Directive::Fact(words, source)))
}

fn drawing(rest: &str, _: &FigureNames) -> Result<Option<Directive>, String> {
    let files: Vec<String> = rest.split(' ').map(str::to_owned).collect();
    Ok((!rest.is_empty()).then_some(Directive::Drawing(files)))
}
