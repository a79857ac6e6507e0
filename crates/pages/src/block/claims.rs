//! Renders a family of claims, that is, similar claims defined in one block, as a table.

use findings::claim::JudgedClaim;
use findings::figure::Figure;
use findings::find;
use language::block::{At, BlockError};
use language::claim::Family;
use language::page::FencedBlock;

use super::Shown;
use super::table;
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::{RichText, unbroken};

/// Renders the family's figures. Each links to its claim, as a figure in prose would.
pub(super) fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, BlockError> {
    // If the block has mistakes, they were already reported when the claims of all pages were
    // parsed.
    let read = Family::parse(&block.body, &on.page.names, &on.page.place(block));
    let Ok((family, _)) = read else { return Ok(Shown::default()) };
    let stated: Vec<&JudgedClaim> = on.stated_in(block).collect();
    let mut rows = Vec::new();
    for (head, claims) in family.rows.iter().zip(stated.chunks(family.columns.len())) {
        let cells = claims.iter().map(|claim| cell(claim, on));
        rows.push((RichText::words(head), cells.collect::<Result<_, _>>().at(0)?));
    }
    let columns: Vec<_> = family.columns.iter().map(|head| RichText::words(head)).collect();
    let expected = stated.first().map(|first| {
        let words = unbroken(&first.claim.in_words());
        html!("<p class=\"measured-small\">Expected of each: {}.</p>\n", words)
    });
    let table = table::html(&RichText::words(&family.head), &columns, &rows);
    Ok(html!("{}\n\n{}", table, expected).into())
}

fn cell(judged: &JudgedClaim, on: &OnPage<'_>) -> Result<Html, String> {
    let JudgedClaim { claim, .. } = judged;
    let subject = &claim.subject;
    let reference = on.reference(&claim.chapter, claim.experiment());
    let figure = if !reference.is_ok_and(|chapter| find::is_in(subject, &chapter.evidence)) {
        // The remark after the figure gives the reason.
        RichText::default()
    } else if subject.is_ratio() {
        let of = subject.to_string();
        on.told(subject, &|evidence| {
            Ok(Figure::find(subject, evidence)?.told_as_factor(of.clone()))
        })?
    } else {
        on.figure(subject)?
    };
    Ok(match on.exception(judged) {
        Some(words) => html!("{} ({})", figure, words),
        None => on.claimed(&figure.html(), judged),
    })
}
