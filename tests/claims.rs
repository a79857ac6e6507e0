//! What the pages say: figures come from data, comparisons from claims, and every published claim has
//! its row in the ledger. Committed data only; what a claim's verdict is, is the machine's business.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use mdbook_measured::driver::{self, ExpandedPage};
use mdbook_measured::{chart, prose_rules, Analysis, DataScope};
use measurement::{Estimate, Interval, Measured, Order, Source, Test, Verdict, MATTERS};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The book, read once for all tests.
static ANALYSIS: LazyLock<Analysis> =
    LazyLock::new(|| driver::analyse(root(), DataScope::Committed).unwrap());
static PAGES: LazyLock<Vec<ExpandedPage>> =
    LazyLock::new(|| driver::expand(root(), DataScope::Committed).unwrap());

#[test]
fn prose_takes_its_figures_and_comparisons_from_data() {
    let mut mistakes = Vec::new();
    for page in PAGES.iter() {
        let file = format!("src/{}", page.path.display());
        mistakes.extend(prose_rules::check(&file, &page.source));
    }
    let mistakes: Vec<String> = mistakes.iter().map(|mistake| mistake.to_string()).collect();
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}

#[test]
fn the_title_of_a_chart_says_what_the_data_say() {
    let mut titles = 0;
    for page in PAGES.iter() {
        for block in page.source.split("```chart\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            let spec: chart::ChartBlock = toml::from_str(block).unwrap();
            assert!(spec.title.contains("{{"), "{}: {:?}", spec.id, spec.title);
            let mistakes = prose_rules::check(&spec.id, &spec.title);
            assert!(mistakes.is_empty(), "{mistakes:?}");
            titles += 1;
        }
    }
    assert!(titles > 0);
}

/// Whether a bound of 1 is told as a number.
fn tells_a_bound_of_one(sentence: &str) -> bool {
    let is_one = |(at, words): (usize, &str)| {
        let behind = &sentence[at + words.len()..];
        let behind = behind.strip_prefix(['.', ',']).unwrap_or(behind);
        !behind.starts_with(|c: char| c.is_ascii_digit())
    };
    ["more than 1", "less than 1"].iter().any(|words| sentence.match_indices(words).any(is_one))
}

#[test]
fn a_bound_of_one_is_told_from_larger_ones() {
    for of_one in ["more than 1 times b", "a is more than 1.", "less than 1, as b", "less than 1"] {
        assert!(tells_a_bound_of_one(of_one), "{of_one}");
    }
    for other in ["more than 1.04 times b", "more than 1,000 of b", "more than 15.", "less than b"]
    {
        assert!(!tells_a_bound_of_one(other), "{other}");
    }
}

/// A bound of 1 is "more" or "less" in words. Here and not where claims are read, since the history of records has
/// sentences of another form.
#[test]
fn nothing_is_claimed_to_be_more_than_once_as_much() {
    let wrong: Vec<&str> = ANALYSIS
        .claims
        .iter()
        .filter(|claim| {
            claim.subject.is_ratio() && tells_a_bound_of_one(&claim.sentence)
        })
        .map(|claim| claim.id.as_str())
        .collect();
    assert!(wrong.is_empty(), "say `more` or `less` without {{bound}}: {}", wrong.join(", "));
}

#[test]
fn the_ledger_holds_every_published_claim_and_each_of_ours_that_answers_it() {
    let analysis = &*ANALYSIS;
    let page = PAGES.iter().find(|page| page.path == Path::new("replication-ledger.md")).unwrap();
    // Every [[claim]] of the file, counted by other means than the parser's.
    let text = fs::read_to_string(root().join("data/published/claims.toml")).unwrap();
    let published = text.lines().filter(|line| *line == "[[claim]]").count();
    assert_eq!(analysis.published.claims.len(), published);
    let entries: Vec<&str> = page.expanded.split("id=\"published-").skip(1).collect();
    assert_eq!(entries.len(), published);
    for published in &analysis.published.claims {
        let start = format!("{}\"", published.id);
        let entry = entries.iter().find(|entry| entry.starts_with(&start));
        let entry = entry.unwrap_or_else(|| panic!("{} is not in the ledger", published.id));
        let id = Some(published.id.as_str());
        let answers: Vec<_> =
            analysis.claims.iter().filter(|claim| claim.replicates.as_deref() == id).collect();
        for claim in &answers {
            assert!(entry.contains(&format!("#claim-{}\"", claim.id)), "{} in {entry}", claim.id);
        }
        let is_open = answers.is_empty() && published.not_testable.is_none();
        assert_eq!(is_open, entry.contains("no experiment yet"), "{entry}");
        let is_given_up = published.not_testable.is_some();
        assert_eq!(is_given_up, entry.contains("not testable here"), "{entry}");
    }
}

#[test]
fn every_interval_is_the_one_that_its_points_give() {
    let chapters = ANALYSIS.data.machines.iter().flat_map(|machine| machine.chapters.values());
    let sources = chapters.flat_map(|chapter| &chapter.sources);
    let mut checked = 0;
    for (file, run) in sources.flat_map(|s| s.runs.iter().map(move |run| (&s.file, run))) {
        let (processes, rounds) = (run.header.processes, run.header.rounds.unwrap_or(1));
        for row in &run.rows {
            let Some(found) = row.measured() else { continue };
            let (points, source) = (found.points.clone(), found.source);
            let expected = match &found.visits {
                Some(visits) => Measured::of_visits(points, visits.clone(), rounds, source),
                None => Measured::from_points(points, processes, source),
            };
            // A percentile over all windows need not lie within that of its windows, which is stretched.
            let (mut low, mut high) = (expected.low, expected.high);
            if source == Source::Histogram {
                (low, high) = (low.min(found.estimate), high.max(found.estimate));
            }
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
            let is_it = near(found.low, low) && near(found.high, high);
            assert!(is_it, "{file}: {}: {expected:?}", row.name());
            checked += 1;
        }
    }
    assert!(checked > 0);
}

/// An end of an interval as it is printed.
#[derive(Debug, Clone, Copy)]
struct PrintedEnd {
    value: f64,
    /// The place of its last digit, or of a nought before: of 200 that may be 100, 10 or 1.
    place: f64,
    digits: usize,
}

impl PrintedEnd {
    fn of(text: &str) -> Option<PrintedEnd> {
        let text = text.replace(',', "");
        let value = text.parse().ok()?;
        let digits = text.trim_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit);
        let place = match text.split_once('.') {
            Some((_, decimals)) => 10f64.powi(-(decimals.len() as i32)),
            None => 10f64.powi((text.len() - text.trim_end_matches('0').len()) as i32),
        };
        Some(PrintedEnd { value, place, digits: digits.count() })
    }

    /// How far it may have been rounded, at a place that is `most` at most. Both ends are rounded at one place,
    /// but for an end that would be nothing there, and has a digit of its own; and nothing is nothing.
    fn rounded_by(self, other: PrintedEnd, most: f64) -> f64 {
        let vanishes = |end: PrintedEnd| end.digits == 1 && end.value.abs() < most / 2.0;
        let place = if self.value == 0.0 {
            0.0
        } else if vanishes(self) {
            self.place
        } else if other.value == 0.0 || vanishes(other) {
            self.place.min(most)
        } else {
            self.place.min(other.place).min(most)
        };
        place / 2.0
    }
}

/// Of a line such as `ratio 30 (mean 10 to 210)` the last interval: each end, and how far it may have been rounded.
fn last_interval(line: &str) -> Option<[(f64, f64); 2]> {
    let (low, high) = line.trim_end_matches(')').rsplit_once(" to ")?;
    let low = PrintedEnd::of(low.rsplit([' ', '(']).next()?)?;
    let high = PrintedEnd::of(high)?;
    // Three digits of the estimate, or so many that the last is worth a fifth of half the interval, which itself
    // is told no better than that.
    let fifth = 1.12 * (high.value - low.value) / 10.0;
    let most = 10f64.powf(fifth.max(high.value / 100.0).log10().floor());
    Some([(low.value, low.rounded_by(high, most)), (high.value, high.rounded_by(low, most))])
}

#[test]
fn an_end_of_an_interval_is_rounded_where_the_other_is() {
    for (range, expected) in [
        ("1.02 to 1.14", [(1.02, 0.005), (1.14, 0.005)]),
        ("10 to 213", [(10.0, 0.5), (213.0, 0.5)]),
        ("10 to 210", [(10.0, 5.0), (210.0, 5.0)]),
        ("100 to 140", [(100.0, 0.5), (140.0, 0.5)]),
        ("200 to 1,000", [(200.0, 5.0), (1_000.0, 5.0)]),
        // Where tens are told, 4 would be none of them.
        ("4 to 200", [(4.0, 0.5), (200.0, 5.0)]),
        ("14 to 200", [(14.0, 0.5), (200.0, 0.5)]),
        ("-0.02 to 7.7", [(-0.02, 0.005), (7.7, 0.05)]),
        ("0 to 30", [(0.0, 0.0), (30.0, 0.5)]),
    ] {
        let line = format!("ratio 30 (mean {range})");
        let found = last_interval(&line).unwrap_or_else(|| panic!("{range} is no interval"));
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
        let [found_ends, ends] =
            [found, expected].map(|[low, high]| [low.0, low.1, high.0, high.1]);
        assert!(found_ends.iter().zip(&ends).all(is_near), "{range}: {found_ends:?}");
    }
    assert!(last_interval("value 2.0 ns (not known within a factor of 1,000)").is_none());
}

/// Of a line such as `ratio 30 (by order of 4 runs, 10 to 210)` how many runs there are.
fn runs_in_order(line: &str) -> Option<usize> {
    let (_, behind) = line.split_once("(by order of ")?;
    behind.split(' ').next()?.parse().ok()
}

/// How many full runs that agree decide by their order.
const AGREEING: usize = 5;

#[test]
fn a_verdict_on_a_ratio_follows_from_what_its_card_shows() {
    let (mut by_mean, mut by_order, mut unknown) = (0, 0, 0);
    for claim in ANALYSIS.claims.iter().filter(|it| it.subject.is_ratio()) {
        let start = format!("id=\"claim-{}\"", claim.id);
        let page = PAGES.iter().find_map(|page| page.expanded.split_once(&start));
        let (_, card) = page.unwrap_or_else(|| panic!("{} has no card", claim.id));
        let card = card.split("</ul>").next().unwrap_or_default();
        let lines = card.split("<li>").skip(1).filter_map(|line| line.split("</li>").next());
        for (judgement, line) in claim.judgements.iter().zip(lines) {
            let verdict = &judgement.verdict;
            // What falls into two modes is judged by these as well, and one run by nothing.
            let has_modes = line.contains(" or ");
            if judgement.measured.is_none() || has_modes || *verdict == Verdict::OneRun {
                continue;
            }
            let line = line.trim_end_matches(", not reproduced on this machine");
            if line.contains("of which there is none") {
                assert_eq!(*verdict, Verdict::Undecided, "{}: {line}", claim.id);
                continue;
            }
            let Some([(low, below), (high, above)]) = last_interval(line) else {
                assert!(line.contains("not known within a factor of"), "{}: {line}", claim.id);
                unknown += 1;
                continue;
            };
            let mut readings = [-below, 0.0, below]
                .into_iter()
                .flat_map(|by| [-above, 0.0, above].map(|on| (low + by, high + on)));
            let is_it = match runs_in_order(line) {
                Some(runs) => {
                    by_order += 1;
                    // A tenth, and what rounding adds.
                    let matters = 1.1 * MATTERS.ln();
                    let ratio = line.split("ratio ").nth(1).and_then(|of| of.split(' ').next());
                    let ratio = ratio.and_then(PrintedEnd::of).map(|ratio| ratio.value);
                    let is_near = ratio.is_none_or(|of| claim.predicate.depth(of).abs() < matters);
                    readings.any(|(low, high)| {
                        let [least, most] = [low, high].map(|run| claim.predicate.is_met(run));
                        // Whether their visits agree as well, which fewer runs need, is not on the card.
                        match verdict {
                            Verdict::Undecided => least != most || runs < AGREEING || is_near,
                            verdict => least == most && least == (*verdict == Verdict::Holds),
                        }
                    })
                }
                None => {
                    by_mean += 1;
                    readings.any(|(low, high)| {
                        let next = Interval { estimate: (low + high) / 2.0, low, high };
                        let (mean, order) = (Some(next), Order::default());
                        let found =
                            Estimate { next, mean, of_ten_runs: mean, scattered: None, order };
                        claim.predicate.judge(Test::Mean, &found) == *verdict
                    })
                }
            };
            assert!(is_it, "{}, {}: {line}", claim.id, claim.predicate);
        }
    }
    assert!(by_mean > 100 && by_order > 20, "{by_mean} by the mean, {by_order} by order");
    assert!(unknown * 20 < by_mean, "nobody can check {unknown} beside {by_mean}");
}

#[test]
fn every_claim_is_judged_on_the_reference_machine() {
    let analysis = &*ANALYSIS;
    assert!(!analysis.claims.is_empty());
    for claim in &analysis.claims {
        let first = claim.judgements.first().map(|judgement| judgement.machine.as_str());
        assert_eq!(first, Some(claim.reference.as_str()), "{}", claim.id);
        let has_it = analysis.data.chapter(&claim.reference, &claim.chapter).is_some();
        assert!(has_it, "{}: {} has nothing of it", claim.id, claim.reference);
    }
}

/// What published figures ask for is not ours to widen, nor to withdraw.
#[test]
fn no_claim_of_ours_asks_for_more_than_ten_runs_could_tell() {
    let ours = ANALYSIS.claims.iter().filter(|claim| claim.replicates.is_none());
    let too_narrow = ours.filter_map(|claim| {
        let found = claim.judgements.first()?;
        let Interval { low, high, .. } =
            found.of_ten_runs.filter(|found| claim.predicate.is_narrower_than(*found))?;
        let half = if low > 0.0 {
            format!("{:.1} %", 100.0 * ((high / low).sqrt() - 1.0))
        } else {
            format!("{}", (high - low) / 2.0)
        };
        let (id, predicate, verdict) = (&claim.id, claim.predicate, found.verdict.word());
        Some(format!("{id}: {predicate}: ten runs would leave ±{half} ({verdict} now)"))
    });
    let too_narrow: Vec<String> = too_narrow.collect();
    assert!(
        too_narrow.is_empty(),
        "\n{}\nWithdraw it: take the block from its page, and say so in its line of data/claims.jsonl, by `withdrawn` \
         and `stood`. Or give it a wider bound under a new id, before the runs that are to judge it.",
        too_narrow.join("\n")
    );
}
