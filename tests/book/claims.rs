//! Checks the statements on pages: figures come from data, comparisons from claims, and every
//! published claim has its entry in the ledger. The verdicts aren't tested, because they depend
//! on the machine.

use std::collections::BTreeSet;

use findings::claim::trials::{trials, twins};
use findings::claim::JudgedClaim;
use findings::find;
use language::prose_rules;
use language::selector::Term;
use regex::Regex;

use crate::common::{files, read, root};
use crate::BOOK;

/// Returns the claims of all pages, judged by the data in the repository.
fn claims() -> &'static [JudgedClaim] {
    &BOOK.analysis.claims
}

/// Covers the text of pages, the titles of charts, and what published claims say.
#[test]
fn prose_takes_figures_and_comparisons_from_data() {
    let mut texts = Vec::new();
    for page in files(&root().join("src"), ".md") {
        let (file, mut titles) = (format!("src/{}", page.display()), Vec::new());
        let text = read(&file);
        for block in text.split("```chart\n").skip(1) {
            let chart: toml::Table = block.split("\n```").next().unwrap().parse().unwrap();
            let title = chart["title"].as_str().unwrap().to_owned();
            assert!(title.contains("{{"), "{file}: {title:?} tells no figure");
            titles.push((format!("{file}: {:?}", chart["id"]), title));
        }
        texts.extend(titles);
        texts.push((file, text));
    }
    for claim in &BOOK.analysis.published.claims {
        let of_ours = [&claim.in_their_shape, &claim.in_ours].into_iter().flatten();
        let place = format!("data/published/claims.toml: {}", claim.id);
        texts.extend(of_ours.chain([&claim.outcome]).map(|text| (place.clone(), text.clone())));
    }
    assert!(texts.len() > 200, "only {} texts", texts.len());
    let mistakes = texts.iter().flat_map(|(place, text)| prose_rules::check(place, text));
    let mistakes: Vec<String> = mistakes.map(|mistake| mistake.to_string()).collect();
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}

/// If the bound is 1, a sentence says "more" or "less" instead of giving it. The parser of claims
/// can't check this, because sentences in old records were written differently.
#[test]
fn nothing_is_claimed_to_be_more_than_once_as_much() {
    let once = Regex::new(r"\b(?:more|less) than 1[.,]?(?:\s|$)").unwrap();
    for claim in claims().iter().map(|it| &it.claim).filter(|it| it.subject.is_ratio()) {
        let tells_one = once.is_match(&claim.sentence);
        assert!(!tells_one, "{}: say `more` or `less` without {{bound}}", claim.id);
    }
}

#[test]
fn the_ledger_holds_every_published_claim_and_each_of_ours_that_answers_it() {
    let text = read("data/published/claims.toml");
    // Counts the lines `[[claim]]` in the file, independently of the parser.
    let count = text.lines().filter(|line| *line == "[[claim]]").count();
    let page = read(BOOK.directory.join("replication-ledger.html"));
    let entries: Vec<&str> = page.split("id=\"published-").skip(1).collect();
    let published = &BOOK.analysis.published.claims;
    assert_eq!([published.len(), entries.len()], [count; 2]);
    for published in published {
        let start = format!("{}\"", published.id);
        let entry = entries.iter().find(|entry| entry.starts_with(&start));
        let entry = entry.unwrap_or_else(|| panic!("{} is not in the ledger", published.id));
        let answers = claims().iter().map(|judged| &judged.claim);
        let answers = answers.filter(|it| it.replicates.as_ref() == Some(&published.id));
        let answers: Vec<_> = answers.map(|claim| format!("#claim-{}\"", claim.id)).collect();
        assert!(answers.iter().all(|link| entry.contains(link)), "{answers:?} in {entry}");
        let is_given_up = published.not_testable.is_some();
        let is_open = answers.is_empty() && !is_given_up;
        assert!(!is_open || entry.contains("data-outcome=\"not measured yet\""), "{entry}");
        assert_eq!(is_given_up, entry.contains("data-outcome=\"not testable here\""), "{entry}");
    }
}

#[test]
fn every_claim_is_judged_on_the_reference_machine() {
    assert!(!claims().is_empty());
    for judged in claims() {
        let (claim, reference) = (&judged.claim, &judged.on_reference().machine);
        let expected = BOOK.analysis.data.reference(&claim.chapter, claim.subject.experiment());
        assert_eq!(reference, expected, "{}", claim.id);
        let has_it = BOOK.analysis.data.chapter(reference, &claim.chapter).is_some();
        assert!(has_it, "{}: {reference} has nothing of it", claim.id);
    }
}

/// Checks two statements of the pages against the table of `cargo book claims --held-out`: the
/// intervals contain the figures of a new run as often as promised, and verdicts last.
#[test]
fn nineteen_in_twenty_of_a_runs_figures_lie_inside_the_intervals_of_the_others() {
    let table = trials(&BOOK.analysis.data, claims());
    let cell = |head: &str| {
        let column = table.heads.iter().position(|it| *it == head).unwrap();
        let text = table.rows[0][column].trim_end_matches(['%', '\u{a0}']);
        text.parse::<f64>().unwrap()
    };
    assert!(cell("rows") > 20_000.0, "{:?}", table.rows[0]);
    assert!((93.0..=97.0).contains(&cell("inside")), "{:?}", table.rows[0]);
    assert!(cell("against") < 0.02 * cell("verdicts"), "{:?}", table.rows[0]);
}

/// "Twins" are two measurements of the same thing under different names. If the rule that judges
/// claims called many twins different, the rule would be wrong.
#[test]
fn hardly_any_twin_is_called_different() {
    let table = twins(&BOOK.analysis.data);
    for row in &table.rows {
        let count = |cell: &String| {
            let (different, pairs) = cell.split_once(" of ").unwrap();
            [different, pairs].map(|count| count.parse::<f64>().unwrap())
        };
        let counts: Vec<[f64; 2]> = row[1..].iter().map(count).collect();
        let [different, pairs] = [0, 1].map(|of| counts.iter().map(|it| it[of]).sum::<f64>());
        assert!(pairs > 100.0 && different <= 0.05 * pairs, "{row:?}");
    }
    assert!(table.rows.len() > 1);
}

#[test]
fn no_verdict_rests_on_windows_that_did_not_keep_up() {
    let mut windows = 0;
    for JudgedClaim { claim, judgements } in claims() {
        for found in judgements.iter().filter(|found| found.figure.is_ok()) {
            let chapter = BOOK.analysis.data.chapter(&found.machine, &claim.chapter).unwrap();
            for row in claim.subject.terms.iter().flat_map(Term::selectors) {
                let answered =
                    chapter.evidence.answered(find::one(row, &chapter.evidence).unwrap());
                let keeps_up = answered.is_none_or(|share| share >= 0.95);
                assert!(keeps_up, "{}: {row} answered {answered:?}", claim.id);
                windows += usize::from(answered.is_some());
            }
        }
    }
    assert!(windows > 0);
}

/// The front page and the price list must not show outdated figures, because some readers see
/// nothing else.
#[test]
fn the_entrance_rests_on_no_stale_run() {
    let data = &BOOK.analysis.data;
    for page in ["src/introduction.md", "src/costs.md"] {
        let text = read(page);
        let mut asked = BTreeSet::new();
        for file in data.machines.iter().flat_map(|machine| machine.sources()) {
            let name = format!("{}/{}", file.chapter, file.experiment);
            if [": ", "\""].iter().any(|end| text.contains(&format!("{name}{end}"))) {
                asked.insert((&file.chapter, &file.experiment));
            }
        }
        assert!(asked.len() > 2, "{page} asks for {asked:?}");
        for (chapter, experiment) in asked {
            let reference = data.reference(chapter, experiment);
            let stale = data.chapter(reference, chapter).unwrap().stale(experiment);
            assert!(
                stale.is_empty(),
                "{page} tells of {chapter}/{experiment}, which is stale on {reference}: {}. Measure it again: \
                 cargo book measure {chapter}/{experiment} --full --machine {reference}",
                stale.join("; ")
            );
        }
    }
}
