//! Titles of pictures, which say what was found, and the figure around a picture.

use measurement::{LineError, Verdict};

use crate::claim::judged::JudgedClaim;
use crate::data::MachineData;
use crate::figure::Subject;
use crate::figure::number_format::Detail;
use crate::figure::rich_text::RichText;
use crate::html::{Html, anchor, html};
use crate::page::directive::{Directive, ask, inline};
use crate::page::on_page::OnPage;
use crate::page::scan::directives;
use crate::toml_block::{At, check_id, line_of_key};

/// The title of the picture that a block describes, whose id is checked.
pub(crate) fn title(
    body: &str,
    id: &str,
    words: &str,
    on: &OnPage<'_>,
) -> Result<RichText, LineError> {
    check_id(id).at(line_of_key(body, "id"))?;
    decided(words, on).at(line_of_key(body, "title"))
}

/// A title, which tells nothing that is undecided. A figure by itself is right, whatever is claimed of it; a
/// ratio says that two differ.
fn decided(text: &str, on: &OnPage<'_>) -> Result<RichText, String> {
    for found in directives(text) {
        if let Directive::Figure(subject) = ask(&found.text?, on)?
            && subject.is_ratio()
        {
            is_decided(&subject, on)?;
        }
    }
    inline(text, on, Detail::Brief)
}

fn is_decided(subject: &Subject, on: &OnPage<'_>) -> Result<(), String> {
    let told = subject.in_full(&on.page.chapter);
    let is_undecided = |judged: &&JudgedClaim| {
        let found = judged.on_reference();
        judged.claim.subject.in_full(&judged.claim.chapter) == told
            && found.is_some_and(|found| found.verdict == Verdict::Undecided)
    };
    match on.context.claims.iter().find(is_undecided) {
        None => Ok(()),
        Some(JudgedClaim { claim, .. }) => Err(format!(
            "the title tells of what the claim {:?} calls undecided: title the chart by what it shows",
            claim.id
        )),
    }
}

/// A picture of rows of several chapters, as a figure: its title, whose figures it shows at first, what else is to be
/// said, and folded the table of what it draws.
pub(crate) fn figure_of_machines(
    (id, title): (&str, &RichText),
    picture: &Html,
    (reference, note): (&MachineData, &Html),
    table: &Html,
) -> Html {
    html!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n{}\n\
         <p class=\"measured-small\">Measured on {}.{}</p>\n<details class=\"measured-table\" open>\
         <summary>The figures behind this picture, machine by machine</summary>\n{}</details></figure>",
        anchor("chart", id),
        title,
        picture,
        reference.for_people(),
        note,
        table
    )
}
