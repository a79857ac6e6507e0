//! The index of all claims, ordered by page and question. It replaces the directive `{{claims}}`.

use findings::claim::records::{ClaimRecord, ClaimRecords};
use findings::claim::{JudgedClaim, Judgement};
use findings::data::MachineData;
use indexmap::IndexSet;

use crate::claim::card::{badge, replicates};
use crate::html::{Html, anchor, each, html};
use crate::on_page::OnPage;

/// Returns a table of claims for each page. Each claim is listed under its question, with the
/// figure on the page's machine and the verdict of each machine. Withdrawn claims follow in a
/// `<details>` element.
pub(crate) fn index(on: &OnPage<'_>) -> Html {
    let pages: IndexSet<&String> =
        on.book.claims.iter().map(|judged| &judged.claim.place.page).collect();
    let title = |html: &str| Some(on.book.pages.iter().find(|page| page.html == html)?.title());
    let pages = each(pages, |page| {
        let on_page = on.book.claims.iter();
        let on_page = on_page.filter(|judged| judged.claim.place.page == *page);
        let claims: Vec<&JudgedClaim> = on_page.collect();
        html!(
            "<h2 id=\"{}\"><a class=\"header\" href=\"{}{}\">{}</a></h2>\n{}\n",
            anchor("claims", page.trim_end_matches(".html")),
            on.root(),
            page,
            title(page),
            table(&claims, on)
        )
    });
    html!("\n{}\n{}", pages, on.book.records.as_ref().map(withdrawn))
}

/// Returns the withdrawn claims, with their last verdicts. No other page shows them.
fn withdrawn(records: &ClaimRecords) -> Html {
    let all: Vec<_> = records.withdrawn().collect();
    let stood = |record: &ClaimRecord| record.stood.clone().unwrap_or_default();
    let decided =
        all.iter().filter(|(record, _)| matches!(stood(record).as_str(), "holds" | "fails"));
    if all.is_empty() {
        return Html::default();
    }
    let records = each(&all, |(record, why)| {
        let (id, stood) = (anchor("claim", &record.id), stood(record));
        html!("<li id=\"{}\"><code>{}</code>, {}. {}</li>\n", id, record.id, stood, why)
    });
    html!(
        "<details class=\"measured-behind\" id=\"withdrawn\">\
         <summary>{} withdrawn, each with the reason; {} stood decided then</summary>\n<ul>{}</ul></details>\n",
        all.len(),
        decided.count(),
        records
    )
}

/// Returns a table with a row per claim. The first cell has the claim and the figure on the
/// page's machine. Each other cell has the verdict of one machine.
fn table(claims: &[&JudgedClaim], on: &OnPage<'_>) -> Html {
    let data = &on.book.data;
    let has_any = |of: &&MachineData| claims.iter().any(|it| it.on(of.name()).is_some());
    let machines: Vec<&MachineData> = data.machines.iter().filter(has_any).collect();
    let heads = each(&machines, |machine| html!("<th>{}</th>", machine.short()));
    let row = |judged: &&JudgedClaim| {
        let (claim, here) = (&judged.claim, judged.on_reference());
        let cells = each(&machines, |machine| {
            let verdict = judged.on(machine.name()).map(|judgement| {
                let stale = judgement.is_stale.then(|| html!("<br><small>stale</small>"));
                html!("{}{}", badge(&judgement.verdict), stale)
            });
            html!("<td data-machine=\"{}\">{}</td>", machine.short(), verdict)
        });
        html!(
            "<tr><td>{}{}<br><a class=\"measured-permalink\" href=\"{}\">{}</a><br><small>On {}: {}</small></td>{}</tr>\n",
            claim.sentence,
            replicates(judged, on),
            on.href(claim),
            claim.id,
            data.machine(&here.machine).map(MachineData::short),
            found(judged, here),
            cells
        )
    };
    let question = |of: &&JudgedClaim| of.claim.place.question.clone();
    let groups = claims.chunk_by(|one, next| question(one) == question(next));
    let groups = each(groups, |group| {
        let question = Some(question(&group[0])).filter(|it| !it.is_empty()).map(|question| {
            html!(
                "<tr><th class=\"measured-question\" colspan=\"{}\" scope=\"rowgroup\"><a href=\"{}\">{}</a></th></tr>\n",
                machines.len() + 1,
                on.href(&group[0].claim),
                question
            )
        });
        html!("<tbody>\n{}{}</tbody>", question, each(group, row))
    });
    html!(
        "<div class=\"table-wrapper\"><table class=\"measured-index\"><thead><tr><th>claim</th>{}</tr></thead>{}</table>\
         </div>",
        heads,
        groups
    )
}

fn found(judged: &JudgedClaim, judgement: &Judgement) -> String {
    let words = judgement.in_words();
    match judgement.figure {
        Ok(_) => format!("{} {words}", judged.claim.subject.noun()),
        Err(_) => words,
    }
}
