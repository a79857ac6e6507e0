//! The index of claims, page by page and question by question: what the directive `{{claims}}` puts in.

use indexmap::IndexSet;
use measurement::Verdict;

use crate::claim::card::{badge, replicates};
use crate::claim::records::{ClaimRecord, ClaimRecords};
use crate::claim::{JudgedClaim, Judgement};
use crate::data::MachineData;
use crate::html::{Html, anchor, each, html};
use crate::page::OnPage;

/// A table a page: each claim under its question, what was found on the machine that the page tells of,
/// and a verdict for each machine. Behind them, folded, what was withdrawn.
pub(crate) fn index(on: &OnPage<'_>) -> Html {
    let pages: IndexSet<&String> =
        on.book.claims.iter().map(|judged| &judged.claim.place.page).collect();
    let title = |html: &str| Some(on.book.pages.iter().find(|page| page.html == html)?.title());
    let pages = each(pages, |page| {
        let on_page = on.book.claims.iter();
        let on_page = on_page.filter(|judged| judged.claim.place.page == *page);
        let rows: Vec<_> =
            on_page.map(|judged| (judged, judged.judgements.iter().collect())).collect();
        html!(
            "<h2 id=\"{}\"><a class=\"header\" href=\"{}{}\">{}</a></h2>\n{}\n",
            anchor("claims", page.trim_end_matches(".html")),
            on.root(),
            page,
            title(page),
            table(&rows, true, on)
        )
    });
    html!("\n{}\n{}", pages, on.book.records.as_ref().map(withdrawn))
}

/// The claims that were withdrawn, and how they stood. What these records say is not on any page.
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

/// A table of claims, each with some of its judgements, in a column a machine. By questions, what was found
/// stands on the machine that the page tells of alone, else beside each verdict.
pub(super) fn table(
    rows: &[(&JudgedClaim, Vec<&Judgement>)],
    by_question: bool,
    on: &OnPage<'_>,
) -> Html {
    let data = &on.book.data;
    let has_any =
        |of: &&MachineData| rows.iter().any(|(_, shown)| on_machine(shown, of.name()).is_some());
    let machines: Vec<&MachineData> = data.machines.iter().filter(has_any).collect();
    let heads = each(&machines, |machine| html!("<th>{}</th>", machine.short()));
    let claim = |(judged, shown): &(&JudgedClaim, Vec<&Judgement>)| {
        let claim = &judged.claim;
        let here = by_question.then(|| {
            let judgement = judged.on_reference();
            let machine = data.machine(&judgement.machine).map(MachineData::short);
            html!("<br><small>On {}: {}</small>", machine, found(judged, judgement))
        });
        let agree = shown.iter().all(|it| is_plain(it) && it.verdict == shown[0].verdict);
        let cells = each(&machines, |machine| {
            let verdict = on_machine(shown, machine.name()).map(|judgement| {
                let badge = (by_question || !agree).then(|| badge(&judgement.verdict));
                let found = (!by_question)
                    .then(|| html!(" <small>{}</small>", told(judgement)));
                let stale = judgement.is_stale.then(|| html!("<br><small>stale</small>"));
                html!("{}{}{}", badge, found, stale)
            });
            html!("<td data-machine=\"{}\">{}</td>", machine.short(), verdict)
        });
        html!(
            "<tr><td>{}{}<br><a class=\"measured-permalink\" href=\"{}\">{}</a>{}</td>{}</tr>\n",
            claim.sentence,
            replicates(judged, on),
            on.href(claim),
            claim.id,
            here,
            cells
        )
    };
    let question = |of: &(&JudgedClaim, Vec<&Judgement>)| {
        if by_question { of.0.claim.place.question.clone() } else { String::new() }
    };
    let groups = rows.chunk_by(|one, next| question(one) == question(next));
    let groups = each(groups, |group| {
        let first = group[0].0;
        let question = Some(question(&group[0])).filter(|it| !it.is_empty()).map(|question| {
            html!(
                "<tr><th class=\"measured-question\" colspan=\"{}\" scope=\"rowgroup\"><a href=\"{}\">{}</a></th></tr>\n",
                machines.len() + 1,
                on.href(&first.claim),
                question
            )
        });
        html!("<tbody>\n{}{}</tbody>", question, each(group, claim))
    });
    html!(
        "<div class=\"table-wrapper\"><table class=\"measured-index\"><thead><tr><th>claim</th>{}</tr></thead>{}</table>\
         </div>",
        heads,
        groups
    )
}

fn is_plain(judgement: &Judgement) -> bool {
    matches!(judgement.verdict, Verdict::Holds | Verdict::Fails)
}

/// What was measured; of a plain verdict, with the interval for who asks for it.
fn told(judgement: &Judgement) -> Html {
    let words = judgement.in_words();
    match words.rsplit_once(" (").filter(|_| is_plain(judgement)) {
        Some((figure, by)) => html!(
            "<span class=\"measured-number\">{}<span class=\"measured-interval\"> ({}</span></span>",
            figure,
            by
        ),
        None => html!("{}", words),
    }
}

/// What was measured, or why nothing was.
fn found(judged: &JudgedClaim, judgement: &Judgement) -> String {
    let words = judgement.in_words();
    match judgement.figure {
        Ok(_) => format!("{} {words}", judged.claim.subject.noun()),
        Err(_) => words,
    }
}

fn on_machine<'a>(shown: &[&'a Judgement], machine: &str) -> Option<&'a Judgement> {
    shown.iter().find(|judgement| judgement.machine == machine).copied()
}
