//! All claims of the book, chapter by chapter: what the directive `{{claims}}` puts in.

use crate::claim::{Claim, badge};
use crate::data::label;
use crate::html::{anchor, escape};
use crate::page::Book;

/// A table a page, with a verdict for each machine.
pub(crate) fn index(book: &Book<'_>, to_root: &str) -> String {
    let mut pages: Vec<&str> = Vec::new();
    for claim in book.claims {
        if !pages.contains(&claim.page.as_str()) {
            pages.push(&claim.page);
        }
    }
    let tables = pages.into_iter().map(|page| {
        let claims: Vec<&Claim> = book.claims.iter().filter(|claim| claim.page == page).collect();
        table(page, &claims, book, to_root)
    });
    format!("\n{}\n", tables.collect::<String>())
}

fn table(page: &str, claims: &[&Claim], book: &Book<'_>, to_root: &str) -> String {
    let of_them = |name: &str| {
        let mut judgements = claims.iter().flat_map(|claim| &claim.judgements);
        judgements.any(|judgement| judgement.machine == name)
    };
    let machines: Vec<&str> = book.data.machines.iter().map(|machine| machine.name()).collect();
    let machines: Vec<&str> = machines.into_iter().filter(|name| of_them(name)).collect();
    let heads: String =
        machines.iter().map(|name| format!("<th>{}</th>", escape(label(name)))).collect();
    let rows = claims.iter().map(|claim| {
        let verdicts = machines.iter().map(|name| {
            let judgement = claim.judgements.iter().find(|judgement| judgement.machine == *name);
            let badge = judgement.map(|judgement| badge(&judgement.verdict));
            let badge = badge.unwrap_or_default();
            format!("<td data-machine=\"{}\">{badge}</td>", escape(label(name)))
        });
        let replicates = claim.replicates.as_ref().map(|id| {
            format!(" Replicates {}.", book.to_ledger(id, id, to_root))
        });
        format!(
            "<tr><td>{}{}<br><a class=\"measured-permalink\" href=\"{to_root}{page}#{}\">{}</a></td>{}</tr>\n",
            escape(&claim.sentence),
            replicates.unwrap_or_default(),
            anchor("claim", &claim.id),
            escape(&claim.id),
            verdicts.collect::<String>(),
        )
    });
    let title = book.titles.get(page).map_or(page, String::as_str);
    format!(
        "<h2 id=\"{}\"><a class=\"header\" href=\"{to_root}{page}\">{}</a></h2>\n\
         <div class=\"table-wrapper\"><table class=\"measured-index\"><thead><tr><th>claim</th>{heads}</tr></thead><tbody>\n{}\
         </tbody></table></div>\n",
        anchor("claims", page.trim_end_matches(".html")),
        escape(title),
        rows.collect::<String>(),
    )
}
