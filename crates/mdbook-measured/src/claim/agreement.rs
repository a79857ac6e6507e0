//! On which claims machines agree: what the directive `{{agreement ...}}` puts in.

use measurement::{METHOD, Verdict};

use crate::claim::index;
use crate::claim::judged::{JudgedClaim, Judgement};
use crate::data::LOCAL;
use crate::html::{Html, html};
use crate::page::on_page::OnPage;

/// How the machines stand to each other that judged a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// It holds on all of them.
    Holds,
    /// It fails on all of them.
    Fails,
    /// It holds on one and fails on another.
    Opposite,
    /// On one of them at least it is not decided, and no two contradict each other.
    Undecided,
}

/// All of them, each with its word in the directive.
pub(crate) const AGREEMENTS: [(&str, Agreement); 4] = [
    ("holds", Agreement::Holds),
    ("fails", Agreement::Fails),
    ("opposite", Agreement::Opposite),
    ("undecided", Agreement::Undecided),
];

impl Agreement {
    fn of(verdicts: &[&Verdict]) -> Agreement {
        let count = |wanted| verdicts.iter().filter(|verdict| ***verdict == wanted).count();
        match (count(Verdict::Holds), count(Verdict::Fails)) {
            (holds, _) if holds == verdicts.len() => Agreement::Holds,
            (_, fails) if fails == verdicts.len() => Agreement::Fails,
            (1.., 1..) => Agreement::Opposite,
            _ => Agreement::Undecided,
        }
    }
}

/// The claims that several machines judged by the present method, in the order of the pages: the reader's own
/// apart, whose verdicts nobody else sees.
fn judged<'a>(
    on: &OnPage<'a>,
) -> impl Iterator<Item = (Agreement, (&'a JudgedClaim, Vec<&'a Judgement>))> {
    let data = on.context.data;
    on.context.claims.iter().filter_map(|judged| {
        let claim = &judged.claim;
        let counts = |judgement: &&Judgement| {
            let chapter = data.chapter(&judgement.machine, &claim.chapter);
            let last = chapter.and_then(|it| it.evidence.headers(claim.experiment()).last());
            judgement.machine != LOCAL
                && judgement.judges()
                && last.is_some_and(|header| header.method == METHOD)
        };
        let judgements: Vec<_> = judged.judgements.iter().filter(counts).collect();
        let verdicts: Vec<_> = judgements.iter().map(|judgement| &judgement.verdict).collect();
        (verdicts.len() > 1).then(|| (Agreement::of(&verdicts), (judged, judgements)))
    })
}

/// How many claims there are of each kind, in a sentence.
pub(crate) fn in_numbers(on: &OnPage<'_>) -> String {
    let all: Vec<Agreement> = judged(on).map(|(agreement, _)| agreement).collect();
    let count = |wanted| all.iter().filter(|agreement| **agreement == wanted).count();
    format!(
        "Of {} claims, {} were judged on two machines or more by method {METHOD}. On all of these \
         machines {} hold and {} fail. On {} the machines contradict each other, and {} are undecided on \
         one machine at least.",
        on.context.claims.len(),
        all.len(),
        count(Agreement::Holds),
        count(Agreement::Fails),
        count(Agreement::Opposite),
        count(Agreement::Undecided),
    )
}

/// The claims of one kind, with what was found on each machine.
pub(crate) fn table(wanted: Agreement, on: &OnPage<'_>) -> Html {
    let all = judged(on).filter(|(agreement, _)| *agreement == wanted);
    let rows: Vec<_> = all.map(|(_, row)| row).collect();
    if rows.is_empty() {
        return html!("\n<p>So far there is none.</p>\n");
    }
    html!("\n{}\n", index::table(&rows, false, on))
}
