//! Checks that exactly the right numbers and claims change if a contender's figures are
//! multiplied by three.

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

/// The numbers and verdicts on a book's pages, each with its chapter and the rows that it comes
/// from.
struct Told {
    data: Data,
    texts: Vec<([String; 2], String)>,
}

impl Told {
    fn by(root: &Path) -> Told {
        let mut texts = Vec::new();
        let (pages, analysis) = driver::expand(root, DataScope::Committed).unwrap();
        for page in pages {
            // A page that belongs to a chapter is in the chapter's directory.
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
        // Sort the figures, because multiplication may change their order on the page.
        texts.sort_by(|one, other| one.0.cmp(&other.0));
        Told { data: analysis.data, texts }
    }
}

/// Two chapters, each with the contender whose figures are multiplied.
const MULTIPLIED: [(&str, &str); 2] = [
    ("spawn-cost", "tokio multi-thread"),
    // Some differences, and ratios of differences, use rows of this contender.
    ("context-switches", "std::thread"),
];

/// The data before the multiplication, which decide what should change on the pages.
struct Mutation<'a> {
    data: &'a Data,
}

impl Mutation<'_> {
    /// Returns true if multiplying the row that a page names changes what the page shows. It
    /// changes nothing if the row is zero, or is part of a recording.
    fn multiplies(&self, page: &str, row: &Selector) -> bool {
        let (machine, chapter) =
            (self.data.machines[0].name(), row.chapter.as_deref().unwrap_or(page));
        let Some((_, contender)) = MULTIPLIED.iter().find(|(of, _)| *of == chapter) else {
            return false;
        };
        // If the reference machine has no data, the page shows the figures of another machine,
        // which are not multiplied.
        if self.data.reference(chapter, &row.experiment) != machine {
            return false;
        }
        let found = self.data.chapter(machine, chapter).expect("the reference has measured it");
        let is_recorded = found.recordings.iter().any(|of| of.experiment == row.experiment);
        // A claim may be about a row that isn't measured yet. Another test checks that such a row
        // can be measured.
        let row = found.evidence.rows.iter().find(|it| find::is_of(it, row));
        let own = row.filter(|row| row.contender == *contender && !is_recorded);
        own.is_some_and(|row| {
            row.measured().is_some_and(|measured| measured.estimate.next.high != 0.0)
        })
    }

    /// Returns true if multiplying the contender's figures changes `of`, which combines rows by
    /// quotients, products, sums or differences.
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
        // If the contender occurs as often in the numerator as in the denominator, the factors
        // cancel out.
        power != 0
    }

    /// Compares the pages before and after the figures were multiplied. Returns how many values
    /// and how many ratios changed in each of the two chapters.
    fn check(&self, before: &Told, after: &Told) -> [[usize; 2]; 2] {
        let mut changed = [[0; 2]; 2];
        assert_eq!(before.texts.len(), after.texts.len());
        for ((of, told), (of_after, told_after)) in before.texts.iter().zip(&after.texts) {
            assert_eq!(of, of_after);
            // A figure that is rounded to zero may still be rounded to zero after it is
            // multiplied by three.
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
    // Only the reference machine's figures are multiplied. Where that machine has no figure, the
    // pages show the figure of another machine, which isn't multiplied.
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
            // Faulty runs are included, because a page mentions them.
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
