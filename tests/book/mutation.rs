//! If the figures of a contender are multiplied by three, exactly its numbers and claims change.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use findings::claim::JudgedClaim;
use findings::data::Data;
use findings::{find, DataScope};
use language::names::FigureNames;
use language::selector::{Selector, Term};
use measurement::Run;
use pages::driver;

use crate::common::{copy_with, files, multiply, read, write};

const FACTOR: f64 = 3.0;

/// The numbers and verdicts on the pages of a book, each with its chapter and its rows.
struct Told {
    data: Data,
    texts: Vec<([String; 2], String)>,
}

impl Told {
    fn by(root: &Path) -> Told {
        let mut texts = Vec::new();
        let (pages, analysis) = driver::expand(root, DataScope::Committed).unwrap();
        for page in pages {
            // A page that belongs to a chapter is in a directory with the chapter's name.
            let chapter = Path::new(page.path.iter().next().unwrap()).with_extension("");
            for number in page.expanded.split(" data-of=\"").skip(1) {
                let (of, rest) = number.split_once('"').unwrap();
                let escapes = [("&#95;", "_"), ("&#42;", "*"), ("&#39;", "'"), ("&gt;", ">")];
                let of = escapes.iter().fold(of.to_owned(), |of, (it, sign)| of.replace(it, sign));
                let number = rest.split("</span></span>").next().unwrap();
                texts.push(([chapter.to_string_lossy().into_owned(), of], number.to_owned()));
            }
        }
        for JudgedClaim { claim, judgements, .. } in analysis.claims {
            for found in judgements.iter().filter(|found| found.figure.is_ok()) {
                let told = format!("{:?}: {}", found.verdict, found.in_words());
                texts.push(([claim.chapter.clone(), claim.subject.to_string()], told));
            }
        }
        // Changed figures may appear in another order.
        texts.sort_by(|one, other| one.0.cmp(&other.0));
        Told { data: analysis.data, texts }
    }
}

/// The chapters in which a contender is multiplied, and the contender.
const MULTIPLIED: [(&str, &str); 2] = [
    ("spawn-cost", "tokio multi-thread"),
    // The rows of this contender also appear in differences, and in ratios of differences.
    ("context-switches", "std::thread"),
];

/// Decides which figures change, according to the data before the change.
struct Mutation<'a> {
    data: &'a Data,
}

impl Mutation<'_> {
    /// Returns whether the row that a page selects is multiplied and so changes. Three times zero
    /// is zero, and recordings are not multiplied.
    fn multiplies(&self, page: &str, row: &Selector) -> bool {
        let (machine, chapter) =
            (self.data.machines[0].name(), row.chapter.as_deref().unwrap_or(page));
        let Some((_, contender)) = MULTIPLIED.iter().find(|(of, _)| *of == chapter) else {
            return false;
        };
        // If the reference machine has no data, the page shows another machine's figures, which
        // don't change.
        if self.data.reference(chapter, &row.experiment) != machine {
            return false;
        }
        let found = self.data.chapter(machine, chapter).expect("the reference has measured it");
        let is_recorded = found.recordings.iter().any(|of| of.experiment == row.experiment);
        // A claim may be about something that has not been measured yet. The book checks
        // separately that the claim's rows can exist.
        let row = found.evidence.rows.iter().find(|it| find::is_of(it, row));
        let own = row.filter(|row| row.contender == *contender && !is_recorded);
        own.is_some_and(|row| {
            row.measured().is_some_and(|measured| measured.estimate.next.high != 0.0)
        })
    }

    /// Returns whether a figure changes that is made of these rows as a sum, a difference, a
    /// product or a quotient.
    fn affects(&self, page: &str, of: &str) -> bool {
        let (names, mut power) = (FigureNames::default(), 0);
        for (sign, side) in [1, -1].into_iter().zip(of.split(" / ")) {
            for factor in side.split(" * ").map(|factor| names.value(factor).unwrap()) {
                let rows = factor.terms.iter().flat_map(Term::selectors);
                let are_own: BTreeSet<bool> = rows.map(|row| self.multiplies(page, row)).collect();
                if are_own.len() > 1 {
                    return true;
                }
                power += sign * i32::from(are_own.contains(&true));
            }
        }
        // A factor in both numerator and denominator cancels out.
        power != 0
    }

    /// Compares the pages before and after the change. For each chapter, counts the values and
    /// ratios that changed.
    fn check(&self, before: &Told, after: &Told) -> [[usize; 2]; 2] {
        let mut changed = [[0; 2]; 2];
        assert_eq!(before.texts.len(), after.texts.len());
        for ((of, told), (of_after, told_after)) in before.texts.iter().zip(&after.texts) {
            assert_eq!(of, of_after);
            // Three times almost nothing is also shown as zero.
            let is_nothing = told.contains(">0.00<") && told == told_after;
            let is_affected = self.affects(&of[0], &of[1]) && !is_nothing;
            assert_eq!(is_affected, told != told_after, "{of:?}: {told} and {told_after}");
            let place = MULTIPLIED.iter().position(|(chapter, _)| of[0] == *chapter);
            if let Some(place) = place.filter(|_| is_affected) {
                changed[place][usize::from(of[1].contains(" / "))] += 1;
            }
        }
        changed
    }
}

#[test]
fn exactly_what_names_a_contender_changes_with_it() {
    let copy = copy_with(&[]);
    let reference = driver::config(copy.path()).unwrap().reference;
    let data = copy.path().join("data");
    // The figures of other machines, which a page shows if the reference has none, are not
    // multiplied.
    for file in files(&data, ".jsonl").into_iter().filter(|file| !file.starts_with(&reference)) {
        let of_machine: PathBuf = file.iter().skip(1).collect();
        if data.join(&reference).join(of_machine).is_file() {
            fs::remove_file(data.join(file)).unwrap();
        }
    }
    let before = Told::by(copy.path());
    for (chapter, contender) in MULTIPLIED {
        for source in &before.data.machines[0].chapters[chapter].sources {
            let file = copy.path().join(&source.file);
            // Faulty runs are included, since a page mentions them.
            let mut runs = Run::parse_all(&read(&file)).unwrap();
            let rows = runs.iter_mut().flat_map(|run| &mut run.rows);
            rows.filter(|row| row.contender == contender).for_each(|row| multiply(row, FACTOR));
            write(&file, &runs);
        }
    }
    let after = Told::by(copy.path());
    let changed = Mutation { data: &before.data }.check(&before, &after);
    assert!(changed.iter().flatten().all(|&count| count > 0), "{changed:?}");
}
