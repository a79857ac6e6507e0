//! What so many take of several kinds: a table for some counts, and for any count that a reader types.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::block::block_kind::{BlockKind, Shown};
use crate::figure::number_format::{Detail, thousands};
use crate::figure::rich_text::RichText;
use crate::html::{Html, each, html};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::toml_block::{At, BlockError, from_toml, wrong};

pub(crate) const CALCULATOR: BlockKind = BlockKind {
    word: "calculator",
    language: r#"
What 1,000 or any other number takes of several kinds: a table with a column a count, and one in which a reader types their own. Each
kind is what one of it takes, as in `number`, behind a ` + ` what comes on top.

```toml
head   = "idle, all together"
counts = [1000, 1000000]

[kinds]
"a thread each" = "idle: std::thread + kernel memory per unit"
```
"#,
    render,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CalculatorBlock {
    head: String,
    /// How many, from column to column.
    counts: Vec<u64>,
    /// What each row is of, and all that one of it takes.
    kinds: IndexMap<String, String>,
}

/// The column for the reader's own count is made by `measured.js`, which multiplies.
fn render(FencedBlock { body, .. }: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, BlockError> {
    let CalculatorBlock { head, counts, kinds } = from_toml(body)?;
    if counts.is_empty() {
        wrong!("counts", "no count is given");
    }
    if kinds.is_empty() {
        wrong!("head", "nothing is counted under [kinds]");
    }
    let mut rows = Vec::new();
    for (words, of) in &kinds {
        rows.push(row(words, of, &counts, on).at(("kinds", words))?);
    }
    let heads =
        each(&counts, |count| html!("<th scope=\"col\">{}</th>", thousands(&count.to_string())));
    let html = html!(
        "<div class=\"table-wrapper\"><table class=\"measured-calculator\"><thead><tr><th>{}</th>{}</tr></thead>\
         <tbody>{}</tbody></table></div>",
        head,
        heads,
        rows
    );
    Ok(html.into())
}

fn row(words: &str, of: &str, counts: &[u64], on: &OnPage<'_>) -> Result<Html, String> {
    let so_many = |count: u64| on.page.names.value(&format!("{count} x {of}"));
    let total = |count: &u64| on.figure(&so_many(*count)?, Detail::Full);
    let totals = counts.iter().map(total).collect::<Result<Vec<RichText>, String>>()?;
    // Unless that was not measured.
    let each_of_it = on.find(&so_many(1)?).ok().map(|figure| figure.mostly().0.estimate);
    let each_of_it = each_of_it.map(|each| html!(" data-each=\"{}\"", each));
    let totals = each(totals, |total| html!("<td>{}</td>", total));
    Ok(html!("<tr{}><th scope=\"row\">{}</th>{}</tr>\n", each_of_it, words, totals))
}
