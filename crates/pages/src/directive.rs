//! Renders directives such as `{{number …}}`.

use findings::claim::trials;
use findings::data::MachineData;
use language::directive::{self, Directive};
use language::page::{directives, replaced};

use crate::claim::index::index;
use crate::claim::ledger::ledger;
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::{RichText, unbroken};
use crate::{drawing, machines, table};

/// Parses the text of a directive, without its braces. Words must be separated by single spaces.
pub(crate) fn ask(text: &str, on: &OnPage<'_>) -> Result<Directive, String> {
    directive::ask(text, &on.page.names)
}

pub(crate) fn tell(text: &str, on: &OnPage<'_>) -> Result<RichText, String> {
    told(&ask(text, on)?, on)
}

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

/// Returns a page's prose with its directives replaced by HTML, for mdBook to render.
pub(crate) fn prose(text: &str, on: &OnPage<'_>) -> Result<String, String> {
    replaced(text, |directive| Ok(tell(directive, on)?.html().0))
}

/// Returns the machine that measured a directive's figure: `Some(None)` if it is the usual one,
/// and `None` if the directive has no figure.
pub(crate) fn machine<'a>(asked: &Directive, on: &OnPage<'a>) -> Option<Option<&'a str>> {
    let Directive::Figure(subject) = asked else { return None };
    let chapter = on.chapter_of(subject);
    Some(on.book.data.other_reference(chapter, subject.experiment()).map(MachineData::name))
}

pub(crate) fn told(asked: &Directive, on: &OnPage<'_>) -> Result<RichText, String> {
    // Wraps content that has no plain-text form.
    let whole = |all: Html| Ok(RichText::other(all, ""));
    match asked {
        Directive::Figure(subject) => on.figure(subject),
        Directive::Published(id, key) => {
            let figure = on.book.published.claim(id)?.figure(key)?;
            let link = on.published_link(id, &figure);
            Ok(RichText::other(link, &figure))
        }
        Directive::Fact(words, source) => {
            let words = unbroken(words);
            let html = html!("<span class=\"measured-fact\" title=\"{}\">{}</span>", source, words);
            Ok(RichText::other(html, &words))
        }
        Directive::Drawing(files) => {
            let directory = on.book.src.join(&on.page.source).with_file_name("");
            whole(drawing::figure(files, &directory, &|text| tell(text, on))?)
        }
        Directive::Claims => whole(index(on)),
        Directive::Ledger => whole(ledger(on, |text| inline(text, on))?),
        Directive::Machines => whole(machines::tables(&on.book.data)),
        Directive::Twins => whole(table::html(&trials::twins(&on.book.data))),
    }
}
