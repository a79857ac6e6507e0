//! What depends on whom: if one contender's figures are multiplied by three, exactly its marks, numbers
//! and claims change, and nothing else does.

use std::collections::BTreeMap;
use std::path::Path;

use mdbook_measured::figure::names::FigureNames;
use mdbook_measured::figure::selector::{Selector, Term};
use mdbook_measured::figure::{Form, Subject};
use mdbook_measured::{driver, Analysis, DataScope};
use measurement::Run;
use serde_json::Value;

use crate::common::{self, copy_with, files, read};

const FACTOR: f64 = 3.0;

/// What the pages of a book tell.
struct Told {
    analysis: Analysis,
    /// Each with the chapter on whose pages it stands, and the rows of which it is.
    numbers: Vec<(String, String, String)>,
    /// The figures of each mark of each chart as it is seen at first, in the row's unit: its value, and the lengths
    /// of its whiskers. With the chart's place, its chapter and the row's name.
    marks: Vec<(String, String, String, Vec<f64>)>,
}

impl Told {
    fn by(root: &Path) -> Told {
        let pages =
            driver::expand(root, DataScope::Committed).unwrap_or_else(|it| panic!("{it:#}"));
        let mut numbers = Vec::new();
        for page in pages {
            // A page below a chapter is in a directory of its name.
            let chapter = Path::new(page.path.iter().next().unwrap()).file_stem().unwrap();
            for number in page.expanded.split(" data-of=\"").skip(1) {
                let (of, rest) = number.split_once('"').unwrap();
                let number = rest.split("</span></span>").next().unwrap();
                let chapter = chapter.to_string_lossy().into_owned();
                let escapes = [("&#95;", "_"), ("&#42;", "*"), ("&#39;", "'"), ("&gt;", ">")];
                let of = escapes
                    .iter()
                    .fold(of.to_owned(), |of, (escape, sign)| of.replace(escape, sign));
                numbers.push((chapter, of, number.to_owned()));
            }
        }
        // Whoever is in the order of the figures finds another one.
        numbers.sort_by_key(|(chapter, of, _): &(String, String, String)| {
            (chapter.clone(), of.clone())
        });
        let charts = root.join("src/measured/charts");
        let mut marks = Vec::new();
        for script in files(&charts, ".js") {
            // Behind the chart's id stands what the script holds.
            let (chart, _) = script.to_str().and_then(|name| name.rsplit_once('-')).unwrap();
            marks.extend(marks_of(chart, &read(charts.join(&script))));
        }
        marks.sort_by(|one, other| one.0.cmp(&other.0));
        let analysis = driver::analyse(root, DataScope::Committed).unwrap();
        Told { analysis, numbers, marks }
    }
}

/// The marks of the first view that a chart's script holds.
fn marks_of(chart: &str, script: &str) -> Vec<(String, String, String, Vec<f64>)> {
    let views = script.trim().strip_prefix("measured.views(").and_then(|it| it.strip_suffix(");"));
    let views: Vec<Value> = serde_json::from_str(views.expect("it calls measured.js")).unwrap();
    let meta = &views[0]["layout"]["meta"];
    let (chapter, divisor) = (meta["chapter"].as_str().unwrap(), meta["divisor"].as_f64().unwrap());
    let mut marks = Vec::new();
    for trace in views[0]["data"].as_array().unwrap() {
        let letter = trace["meta"]["value"].as_str().unwrap_or("none");
        let error = &trace[format!("error_{letter}")];
        let figures = [&trace[letter], &error["array"], &error["arrayminus"]].map(flat);
        for (at, id) in flat(&trace["ids"]).iter().enumerate() {
            let of_mark = figures.iter().filter_map(|figures| figures.get(at)?.as_f64());
            let figures = of_mark.map(|figure| figure * divisor).collect();
            marks.push((
                chart.to_owned(),
                chapter.to_owned(),
                id.as_str().unwrap_or_default().to_owned(),
                figures,
            ));
        }
    }
    marks
}

/// The elements of a list or of a list of lists.
fn flat(values: &Value) -> Vec<Value> {
    match values {
        Value::Array(values) => {
            let inner =
                |value: &Value| if value.is_array() { flat(value) } else { vec![value.clone()] };
            values.iter().flat_map(inner).collect()
        }
        _ => Vec::new(),
    }
}

/// A contender whose figures in a chapter are multiplied.
struct Mutation<'a> {
    before: &'a Analysis,
    chapter: &'static str,
    contender: &'static str,
}

impl Mutation<'_> {
    /// Whether a row of the reference machine that matches is multiplied: three times nothing is nothing, and what was
    /// recorded is drawn as it was.
    fn multiplies(
        &self,
        chapter: &str,
        experiment: &str,
        row: impl Fn(&measurement::Row) -> bool,
    ) -> bool {
        let (data, machine) = (&self.before.data, self.before.data.machines[0].name());
        // What the reference machine has nothing of is another's, and stays.
        if chapter != self.chapter || data.reference(chapter, experiment) != machine {
            return false;
        }
        let found = data.chapter(machine, chapter).expect("the reference has measured it");
        let is_recorded = found.recordings.iter().any(|of| of.experiment == experiment);
        let row = found.evidence.rows.iter().find(|it| it.experiment == experiment && row(it));
        // What a claim asks for may not have been measured yet; that it can be is the book's to check.
        row.filter(|row| row.contender == self.contender && !is_recorded)
            .is_some_and(|row| row.measured().is_some_and(|measured| measured.high != 0.0))
    }

    fn affects_row(&self, selector: &Selector, page: &str) -> bool {
        let chapter = selector.chapter.as_deref().unwrap_or(page);
        self.multiplies(chapter, &selector.experiment, |row| selector.matches(row))
    }

    fn affects(&self, subject: &Subject, page: &str) -> bool {
        let rows = |term: &Term| -> Vec<bool> {
            let rows = [Some(&term.row), term.less.as_deref()].into_iter().flatten();
            rows.map(|row| self.affects_row(row, page)).collect()
        };
        let any = |term: &Term| rows(term).contains(&true);
        let all = |term: &Term| !rows(term).contains(&false);
        match (subject.form, &subject.terms[..]) {
            // It stays if all of its rows are the contender's.
            (Form::Ratio, terms) => terms.iter().any(any) && !terms.iter().all(all),
            // One factor above the line and the one below it cancel out.
            (Form::Share, [parts @ .., of]) => {
                parts.iter().filter(|part| any(part)).count() != usize::from(any(of))
            }
            (_, terms) => terms.iter().any(any),
        }
    }

    /// Compares what is told before and after, and counts what has changed: marks, numbers, ratios and claims.
    fn check(&self, before: &Told, after: &Told) -> [usize; 4] {
        let mut changed = [0; 4];
        assert_eq!(before.marks.len(), after.marks.len());
        for ((place, chapter, id, figures), multiplied) in before.marks.iter().zip(&after.marks) {
            assert_eq!((place, id), (&multiplied.0, &multiplied.2));
            let experiment = id.split_once(':').map_or("", |(experiment, _)| experiment);
            let is_own = self.multiplies(chapter, experiment, |row| row.name() == *id);
            let factor = if is_own { FACTOR } else { 1.0 };
            // Ends of intervals have five digits, and a whisker is what one differs by from its value.
            let tolerance = 2e-5 * factor * figures.iter().copied().fold(0.0, f64::max);
            for (before, after) in figures.iter().zip(&multiplied.3) {
                let fits = (after - before * factor).abs() <= tolerance;
                assert!(fits, "{place}: {id} was {before} and is {after}, not {factor} times that");
            }
            changed[0] += usize::from(is_own);
        }
        let names = FigureNames::default();
        assert_eq!(before.numbers.len(), after.numbers.len());
        for ((page, of, told), (page_after, of_after, told_after)) in
            before.numbers.iter().zip(&after.numbers)
        {
            assert_eq!((page, of), (page_after, of_after));
            // Both sides of a ratio are told in full.
            let subject = match of.split_once(" / ") {
                Some((left, right)) if !left.contains(" * ") => {
                    let terms = [left, right].map(|side| names.term(side).unwrap()).to_vec();
                    Subject { form: Form::Ratio, terms }
                }
                _ => names.value(of).unwrap(),
            };
            // Three times next to nothing is shown as nothing, too.
            let is_nothing = told.contains(">0.00<") && told == told_after;
            let is_affected = self.affects(&subject, page) && !is_nothing;
            assert_eq!(is_affected, told != told_after, "{page}, {of}: {told} and {told_after}");
            changed[if of.contains(" / ") { 2 } else { 1 }] += usize::from(is_affected);
        }
        for (claim, after) in before.analysis.claims.iter().zip(&after.analysis.claims) {
            let is_affected = self.affects(&claim.subject, &claim.chapter);
            for (told, told_after) in claim.judgements.iter().zip(&after.judgements) {
                let changes =
                    is_affected && told.measured.is_some() && told.machine == claim.reference;
                let is_same =
                    told.in_words() == told_after.in_words() && told.verdict == told_after.verdict;
                assert!(
                    changes != is_same,
                    "{}: {} and {}",
                    claim.id,
                    told.in_words(),
                    told_after.in_words()
                );
                changed[3] += usize::from(changes);
            }
        }
        changed
    }
}

#[test]
fn exactly_what_names_a_contender_changes_with_it() {
    let copy = copy_with(&[]);
    // Nobody multiplies the figures of other machines, which stand for what the reference has nothing of.
    let data = copy.path().join("data");
    let reference = data.join(driver::config(copy.path()).unwrap().reference.unwrap());
    for file in files(&data, ".jsonl") {
        let of_machine: std::path::PathBuf = file.iter().skip(1).collect();
        if of_machine.iter().count() == 2
            && !reference.ends_with(file.iter().next().unwrap())
            && reference.join(of_machine).exists()
        {
            std::fs::remove_file(data.join(file)).unwrap();
        }
    }
    let before = Told::by(copy.path());
    let mut total = [0; 4];
    for (chapter, contender) in [
        ("spawn-cost", "tokio multi-thread"),
        ("how-benchmarks-lie", "std Mutex"),
        // Its rows are in differences and in ratios of differences as well.
        ("context-switches", "std::thread"),
    ] {
        let sources = &before.analysis.data.machines[0].chapters[chapter].sources;
        let files: BTreeMap<_, _> = sources
            .iter()
            .map(|source| copy.path().join(&source.file))
            .map(|file| (file.clone(), read(file)))
            .collect();
        for (file, text) in &files {
            // Those that are faulty, too, of which a page tells that they are there.
            let mut runs = Run::parse_all(text).unwrap();
            let rows = runs.iter_mut().flat_map(|run| &mut run.rows);
            rows.filter(|row| row.contender == contender)
                .for_each(|row| common::multiply(row, FACTOR));
            common::write(file, &runs);
        }
        let after = Told::by(copy.path());
        files.iter().for_each(|(file, text)| std::fs::write(file, text).unwrap());
        let changed =
            Mutation { before: &before.analysis, chapter, contender }.check(&before, &after);
        assert!(changed[0] > 0 && changed[1] > 0, "{chapter}, {contender}: {changed:?}");
        total.iter_mut().zip(changed).for_each(|(total, changed)| *total += changed);
    }
    assert!(
        total.iter().all(|&count| count > 0),
        "not every kind has been seen to change: {total:?}"
    );
}
