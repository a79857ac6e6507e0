//! A family of claims, as the table that it is.

use crate::block::block_kind::{BlockKind, Shown};
use crate::block::table;
use crate::claim::family::Family;
use crate::claim::judged::JudgedClaim;
use crate::figure::number_format::Detail;
use crate::figure::rich_text::RichText;
use crate::html::{Html, html};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::toml_block::{At, BlockError};

pub(crate) const CLAIMS: BlockKind = BlockKind {
    word: "claims",
    language: r#"
A family of claims: one predicate over rows and columns, drawn as a table of figures. One that simply holds links to its claim, of
others words stand beside it; the cards fold at the end of the section. `{row}` and `{column}` are the names of the entries in the `id`, what they are `of` in the `ratio` or `value`, and their `words` in
the `sentence`. A row may have its own `sentence` and `replicates`. A family may have no columns.

```toml
id        = "send-tax.{row}-beside-{column}"
sentence  = "{row} costs less than {bound} of {column}."
ratio     = "share-of-request: {row} / {column}"
predicate = "below 0.1"

[columns.json]
head  = "JSON"
of    = "serde_json parse"
words = "the parsing of a body"

[rows.switch]
of    = "task switch"
words = "A task switch"
```
"#,
    render,
};

/// The figures, each as one that a sentence judges.
fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, BlockError> {
    // What is wrong with it has been reported with the claims of all pages.
    let read = Family::parse(&block.body, &on.page.names, &on.page.place(block));
    let Ok((family, _)) = read else { return Ok(Shown::default()) };
    let mut rows = Vec::new();
    for (head, ids) in &family.rows {
        let cells = ids.iter().filter_map(|id| on.claim(id)).map(|claim| cell(claim, on));
        rows.push((RichText::words(head), cells.collect::<Result<_, _>>().at(0)?));
    }
    let columns: Vec<_> = family.columns.iter().map(|head| RichText::words(head)).collect();
    let expected = on.stated_in(block).next().map(|first| {
        let words = first.claim.in_words();
        html!("<p class=\"measured-small\">Expected of each: {}.</p>\n", words)
    });
    let table = table::html(&RichText::words(&family.head), &columns, &rows);
    Ok(html!("{}\n\n{}", table, expected).into())
}

fn cell(judged: &JudgedClaim, on: &OnPage<'_>) -> Result<Html, String> {
    let JudgedClaim { claim, .. } = judged;
    let subject = &claim.subject;
    let reference = on.reference(&claim.chapter, claim.experiment());
    let figure = if !reference.is_ok_and(|chapter| subject.is_in(&chapter.evidence)) {
        // Words say that there is none.
        RichText::default()
    } else if subject.is_ratio() {
        let of = subject.to_string();
        on.told(subject, &|evidence| Ok(subject.find(evidence)?.told_as_factor(of.clone())))?
    } else {
        on.figure(subject, Detail::Full)?
    };
    Ok(match on.exception(judged) {
        Some(words) => html!("{} ({})", figure, words),
        None => on.claimed(&figure.html(), judged),
    })
}
