//! Directives: what stands between `{{` and `}}`. The table of them is their parser and their
//! documentation.

use crate::claim::index::index;
use crate::claim::ledger::ledger;
use crate::claim::trials;
use crate::data::{MachineData, machines};
use crate::figure::number_format::thousands;
use crate::figure::{Form, Missing, RichText, Selector, Subject, least_visit, nearest};
use crate::html::{Html, html};
use crate::page::{OnPage, directives, drawing, replaced};

/// A directive that has been read on its page.
pub(crate) enum Directive {
    /// A figure.
    Figure(Subject),
    /// The least of a row's visits.
    Least(Selector),
    /// What tells no row.
    Text(RichText),
}

/// Reads what stands behind the word; `None` if it has not the form.
type Read = fn(&str, &OnPage<'_>) -> Result<Option<Directive>, String>;

/// All directives: how each is written, beginning with its word, what becomes of it, and how it is read.
pub(crate) const DIRECTIVES: [(&str, &str, Read); 12] = [
    (
        "number units: rayon, units=1000 - baseline",
        "the estimate of a row with its unit, and its interval for who asks for it; behind a ` - ` what is taken from it, with the interval in the open where that may be nothing; `a: ... * b: ... / c: ...` is the share that two rows make of a third, with the widest interval that theirs allow; `1000 x a: b + c` is what so many take that take all of these each",
        |rest, on| Ok(Some(Directive::Figure(on.page.names.value(rest)?))),
    ),
    (
        "ratio units: std::thread, units=1000 / rayon",
        "the ratio of two rows, with its interval in the open where it may be 1; the right side inherits what it does not name, and each may be a difference",
        |rest, on| Ok(Some(Directive::Figure(on.page.names.ratio(rest)?))),
    ),
    (
        "least units: rayon, units=1000",
        "the least of a row's visits, and how many of them are within twice that, `62 µs (4 of 10 visits near)`: for tails, which something raises in some visits and not in others",
        |rest, on| Ok(Some(Directive::Least(on.page.names.selector(rest)?))),
    ),
    (
        "claim spawn-cost.threads",
        "stands in a parenthesis, `({{claim a}}, {{claim b}})`, behind the figure that it judges, and `claim threads` on a page of its own chapter. The parenthesis goes, and the figure before it in the sentence links to the claim, unless there is one of two things to say, linked: *undecided here*, or *the opposite on AMD*",
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
    ("parameter units: units=1000", "the value, if rows have it", parameter),
    ("fact \"512 KiB\" where it is from", "a constant that nobody measured, with its source", fact),
    (
        "drawing spawn-cost/thread.svg spawn-cost/task.svg",
        "drawings from files beside the page, side by side where there is room; each has a `viewBox`, `role=\"img\"`, a `<title>`, a `<desc>`, the theme's colours, and in its texts directives; no figure that would mislead without its interval",
        drawing,
    ),
    ("claims", "all claims of the book, with their verdicts", |_, on| whole(index(on))),
    (
        "ledger",
        "the replication ledger: what others said, what was measured here, and what became of it, as the file of published claims says under `in_their_shape`, `in_ours` and `outcome`",
        |_, on| whole(ledger(on, |text| inline(text, on))?),
    ),
    ("machines", "the machines", |_, on| whole(machines::tables(&on.book.data))),
    (
        "twins",
        "of the pairs of twins on each machine, how many the rule for claims calls different",
        |_, on| whole(trials::twins(&on.book.data).html(None)),
    ),
];

/// Reads what stands between the braces, its words one space apart.
pub(crate) fn ask(text: &str, on: &OnPage<'_>) -> Result<Directive, String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let words = DIRECTIVES.map(|(form, ..)| form.split(' ').next().unwrap_or_default());
    let Some(place) = words.iter().position(|known| *known == word) else {
        return Err(format!("no directive is {word:?}{}", nearest(word, words)));
    };
    let (form, _, read) = DIRECTIVES[place];
    let has_too_much = form == word && !rest.is_empty();
    let asked = if has_too_much { None } else { read(rest, on)? };
    asked.ok_or_else(|| format!("write it as {{{{{form}}}}}"))
}

/// Reads a directive, and tells what becomes of it.
pub(crate) fn tell(text: &str, on: &OnPage<'_>) -> Result<RichText, String> {
    ask(text, on)?.tell(on)
}

/// A text with its directives replaced.
pub(crate) fn inline(text: &str, on: &OnPage<'_>) -> Result<RichText, String> {
    let (mut line, mut end) = (RichText::default(), 0);
    for found in directives(text) {
        line.append(RichText::words(&text[end..found.range.start]));
        line.append(tell(&found.text?, on)?);
        end = found.range.end;
    }
    line.append(RichText::words(&text[end..]));
    Ok(line)
}

/// Prose with its directives replaced, for mdBook to read.
pub(crate) fn prose(text: &str, on: &OnPage<'_>) -> Result<String, String> {
    replaced(text, |directive| Ok(tell(directive, on)?.html().0))
}

impl Directive {
    /// The machine of its figure, if it tells one: nothing in it for the one that most pages tell of.
    pub(crate) fn machine<'a>(&self, on: &OnPage<'a>) -> Option<Option<&'a str>> {
        let (chapter, experiment) = match self {
            Directive::Figure(subject) => (subject.chapter(), subject.experiment()),
            Directive::Least(row) => (row.chapter.as_deref(), &*row.experiment),
            Directive::Text(_) => return None,
        };
        let chapter = chapter.unwrap_or(&on.page.chapter);
        Some(on.book.data.other_reference(chapter, experiment).map(MachineData::name))
    }

    pub(crate) fn tell(self, on: &OnPage<'_>) -> Result<RichText, String> {
        match self {
            Directive::Figure(subject) => on.figure(&subject),
            Directive::Least(row) => {
                let of = row.to_string();
                let subject = Subject { form: Form::Value, terms: vec![row.clone().into()] };
                on.told(&subject, &|evidence| {
                    let row = row.one(evidence).map_err(Missing::Mistake)?;
                    least_visit::told(row, of.clone())
                })
            }
            Directive::Text(text) => Ok(text),
        }
    }
}

fn published(rest: &str, on: &OnPage<'_>) -> Result<Option<Directive>, String> {
    let Some((id, figure)) = rest.split_once(' ') else { return Ok(None) };
    let figure = on.book.published.claim(id)?.figure(figure)?;
    let link = on.published_link(id, &figure);
    told(RichText::other(link, &figure))
}

fn parameter(rest: &str, on: &OnPage<'_>) -> Result<Option<Directive>, String> {
    let rows = on.page.names.selector(rest)?;
    let [(_, value)] = &rows.parameters[..] else { return Ok(None) };
    let chapter = rows.chapter.as_deref().unwrap_or(&on.page.chapter);
    rows.all(&on.reference(chapter, &rows.experiment)?.evidence)?;
    told(RichText::words(&thousands(value)))
}

fn fact(rest: &str, _: &OnPage<'_>) -> Result<Option<Directive>, String> {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let Some((words, source)) = quoted.filter(|(_, source)| !source.trim().is_empty()) else {
        return Ok(None);
    };
    let html = html!("<span class=\"measured-fact\" title=\"{}\">{}</span>", source.trim(), words);
    told(RichText::other(html, words))
}

fn drawing(rest: &str, on: &OnPage<'_>) -> Result<Option<Directive>, String> {
    if rest.is_empty() {
        return Ok(None);
    }
    let directory = on.book.src.join(&on.page.source).with_file_name("");
    let tell = |text: &str| tell(text, on);
    whole(drawing::figure(rest.split(' '), &directory, &tell)?)
}

/// What there is of something, all of it.
fn whole(all: Html) -> Result<Option<Directive>, String> {
    told(RichText::other(all, ""))
}

fn told(text: RichText) -> Result<Option<Directive>, String> {
    Ok(Some(Directive::Text(text)))
}
