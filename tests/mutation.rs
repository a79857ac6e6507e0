//! What depends on whom: if one contender's figures are multiplied by three, exactly its marks, numbers
//! and verdicts change on the pages, and nothing else does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mdbook_measured::data::Data;
use mdbook_measured::data::paths::runs_paths;
use mdbook_measured::figure::{Form, Subject};
use mdbook_measured::figure::names::FigureNames;
use mdbook_measured::figure::selector::{Selector, Term};
use mdbook_measured::{driver, Analysis, DataScope};
use measurement::{Row, Run};
use serde_json::Value;

mod common;

const FACTOR: f64 = 3.0;

#[test]
fn exactly_what_names_a_contender_changes_with_it() {
    let book = Book::read();
    let mut total = Changed::default();
    for (chapter, contender) in [
        ("spawn-cost", "rayon"),
        ("spawn-cost", "tokio multi-thread"),
        ("how-benchmarks-lie", "tokio multi-thread"),
        ("how-benchmarks-lie", "std Mutex"),
        // Its rows are in differences and in ratios of differences as well.
        ("context-switches", "std::thread"),
    ] {
        let changed = Mutation::new(&book, chapter, contender).check();
        assert!(changed.points > 0 && changed.numbers > 0, "{chapter}, {contender}: {changed:?}");
        total.points += changed.points;
        total.numbers += changed.numbers;
        total.ratios += changed.ratios;
        total.verdicts += changed.verdicts;
        total.rows_of_tables += changed.rows_of_tables;
    }
    let Changed { points, numbers, ratios, verdicts, rows_of_tables } = total;
    let least = [points, numbers, ratios, verdicts, rows_of_tables].into_iter().min();
    assert!(least > Some(0), "not every kind has been seen to change: {total:?}");
}

/// The book as committed.
struct Book {
    /// Where it stands, and where its data are mutated for a while.
    copy: tempfile::TempDir,
    analysis: Analysis,
    built: tempfile::TempDir,
}

impl Book {
    fn read() -> Book {
        let copy = of_the_reference_alone();
        let (built, analysis) = build(copy.path());
        Book { built, analysis, copy }
    }
}

/// A copy of the book without the figures of other machines, which nobody multiplies, but for experiments
/// that the reference machine has nothing of.
fn of_the_reference_alone() -> tempfile::TempDir {
    let copy = common::copy_of_the_book().unwrap();
    without_what_holds_all_pages_once_more(&copy.path().join("book.toml"));
    let config = driver::config(copy.path()).unwrap();
    let data = Data::load(copy.path(), &config, DataScope::Committed).unwrap();
    for machine in &data.machines[1..] {
        for of in runs_paths(&copy.path().join(&config.data).join(machine.name())) {
            if data.reference(&of.chapter, &of.experiment) != machine.name() {
                fs::remove_file(of.path).unwrap();
            }
        }
    }
    copy
}

/// Leaves out the page for print and the search index: nothing is read there, and making them is half of
/// what mdBook does.
fn without_what_holds_all_pages_once_more(book_toml: &Path) {
    let mut settings: toml::Table = fs::read_to_string(book_toml).unwrap().parse().unwrap();
    let html = settings["output"]["html"].as_table_mut().unwrap();
    for part in ["print", "search"] {
        let part = html.entry(part).or_insert_with(|| toml::Table::new().into());
        part.as_table_mut().unwrap().insert("enable".to_owned(), false.into());
    }
    fs::write(book_toml, settings.to_string()).unwrap();
}

/// The book in `root`, built, and what its pages say.
fn build(root: &Path) -> (tempfile::TempDir, Analysis) {
    let directory = tempfile::tempdir().unwrap();
    let built = driver::build_into(root, DataScope::Committed, directory.path())
        .unwrap_or_else(|error| panic!("{error:#}"));
    (directory, built.analysis)
}

/// A copy of the book in which one contender's figures in one chapter are multiplied.
struct Mutation<'a> {
    book: &'a Book,
    chapter: &'static str,
    contender: &'static str,
    built: tempfile::TempDir,
}

/// Whether a verdict's text has a machine that has measured what it is about.
fn tells_a_figure(verdicts: &str) -> bool {
    let count = |class: &str| verdicts.matches(class).count();
    count("measured-verdict ") > count("measured-not-measured")
}

/// What was found to have changed, each at least once.
#[derive(Debug, Default)]
struct Changed {
    points: usize,
    numbers: usize,
    ratios: usize,
    verdicts: usize,
    rows_of_tables: usize,
}

/// A piece of a page that data decide, or the text up to the next.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    /// A reader's guesses, a drawing with labels, or a cost's place among others and in which requests it
    /// matters: their figures are found as those of numbers are.
    FoundLikeNumbers,
    Figure(&'a str),
    /// `data-of`, and the element.
    Number(String, &'a str),
    /// The ids of the claims that a card, a line of the ledger or of the index, or a link is about,
    /// and whether the figures stand there, or only the verdict.
    Verdict {
        claims: BTreeSet<&'a str>,
        with_figures: bool,
        html: &'a str,
    },
    Text(&'a str),
}

impl<'a> Mutation<'a> {
    fn new(book: &'a Book, chapter: &'static str, contender: &'static str) -> Mutation<'a> {
        let root = book.copy.path();
        let sources = &book.analysis.data.machines[0].chapters[chapter].sources;
        let files = sources.iter().map(|source| root.join(&source.file));
        let before: Vec<(PathBuf, String)> =
            files.map(|file| (file.clone(), fs::read_to_string(file).unwrap())).collect();
        for (file, text) in &before {
            // Those that are faulty, too, of which a page tells that they are there.
            let mut runs = Run::parse_all(text).unwrap();
            let rows = runs.iter_mut().flat_map(|run| &mut run.rows);
            let own = rows.filter(|row| row.contender == contender);
            own.for_each(|row| common::multiply(row, FACTOR));
            common::write(file, &runs).unwrap();
        }
        let (built, _) = build(root);
        for (file, text) in before {
            fs::write(file, text).unwrap();
        }
        Mutation { book, chapter, contender, built }
    }

    /// Compares every page.
    fn check(&self) -> Changed {
        let mut changed = Changed::default();
        let has_text = |page: &PathBuf| !page.ends_with("toc.html");
        let pages = common::files(self.book.built.path(), "html").into_iter().filter(has_text);
        for page in pages {
            let name = page.strip_prefix(self.book.built.path()).unwrap();
            let read = |root: &Path| fs::read_to_string(root.join(name)).unwrap();
            let (before, after) = (read(self.book.built.path()), read(self.built.path()));
            let (before, after) = (pieces(&before), pieces(&after));
            assert_eq!(before.len(), after.len(), "{}", name.display());
            // A page below a chapter is in a directory of its name.
            let first = name.components().next().unwrap().as_os_str();
            let chapter = Path::new(first).file_stem().unwrap().to_str().unwrap();
            for (before, after) in before.iter().zip(&after) {
                self.compare(before, after, chapter, &mut changed);
            }
        }
        changed
    }

    fn compare(&self, before: &Piece<'_>, after: &Piece<'_>, page: &str, changed: &mut Changed) {
        match (before, after) {
            (Piece::Text(before), Piece::Text(after)) => assert_eq!(before, after, "{page}"),
            (Piece::FoundLikeNumbers, Piece::FoundLikeNumbers) => {}
            (Piece::Figure(before), Piece::Figure(after)) => self.figure(before, after, changed),
            (Piece::Number(of, before), Piece::Number(of_after, after)) => {
                assert_eq!(of, of_after, "{page}");
                self.number(of, page, before, after, changed);
            }
            (
                Piece::Verdict { claims, with_figures, html: before },
                Piece::Verdict { claims: claims_after, html: after, .. },
            ) => {
                assert_eq!(claims, claims_after, "{page}");
                let is_affected = claims.iter().any(|claim| self.affects_claim(claim));
                if is_affected && *with_figures && tells_a_figure(before) {
                    assert_ne!(before, after, "{page}: {claims:?}");
                    changed.verdicts += 1;
                }
                if !is_affected {
                    assert_eq!(before, after, "{page}: {claims:?}");
                }
            }
            _ => panic!("{page}: {before:?} has become {after:?}"),
        }
    }

    fn number(&self, of: &str, chapter: &str, before: &str, after: &str, changed: &mut Changed) {
        // Three times next to nothing is shown as nothing, too.
        let is_nothing = before.contains(">0.00<");
        let is_affected = self.affects(of, chapter) && !(is_nothing && before == after);
        assert_eq!(is_affected, before != after, "{chapter}, {of}: {before} and {after}");
        let count = if of.contains(" / ") { &mut changed.ratios } else { &mut changed.numbers };
        *count += usize::from(is_affected);
    }

    /// Whether what `data-of` names changes: a row, or the ratio of two.
    fn affects(&self, of: &str, chapter: &str) -> bool {
        let names = FigureNames::default();
        let is_ratio = of.contains(" / ") && !of.contains(" * ");
        let subject = if is_ratio { names.ratio(of) } else { names.value(of) };
        self.affects_subject(&subject.unwrap(), chapter)
    }

    fn affects_claim(&self, id: &str) -> bool {
        let claim = self.book.analysis.claims.iter().find(|claim| claim.id == id);
        let claim = claim.unwrap_or_else(|| panic!("no claim is {id:?}"));
        self.affects_subject(&claim.subject, &claim.chapter)
    }

    /// Whether the subject changes when the contender's rows are multiplied.
    fn affects_subject(&self, subject: &Subject, chapter: &str) -> bool {
        let any = |term: &Term| self.rows(term, chapter).contains(&true);
        let all = |term: &Term| self.rows(term, chapter).iter().all(|&is| is);
        let terms = &subject.terms;
        match subject.form {
            Form::Value | Form::Total(_) => terms.iter().any(any),
            // It stays if all of its rows are the contender's.
            Form::Ratio => terms.iter().any(any) && !terms.iter().all(all),
            // One factor above the line and the one below it cancel out.
            Form::Share => {
                terms[..2].iter().filter(|term| any(term)).count() != usize::from(any(&terms[2]))
            }
        }
    }

    /// Which of a term's rows are multiplied.
    fn rows(&self, term: &Term, chapter: &str) -> Vec<bool> {
        let rows = [Some(&term.row), term.less.as_deref()].into_iter().flatten();
        rows.map(|row| self.is_multiplied(row, chapter)).collect()
    }

    /// Whether a selector's row was multiplied.
    fn is_multiplied(&self, selector: &Selector, chapter: &str) -> bool {
        let chapter = selector.chapter.as_deref().unwrap_or(chapter);
        // A page that has no rows of its own says whose it shows.
        let analysis = &self.book.analysis;
        let reference = analysis.data.reference(chapter, &selector.experiment);
        if reference != analysis.data.machines[0].name() {
            return false;
        }
        // What a claim asks for may not have been measured yet; that it can be is the book's to check.
        let data = analysis.data.chapter(reference, chapter);
        let row = data.and_then(|data| selector.one(&data.evidence).ok());
        row.is_some_and(|row| self.multiplies(chapter, row))
    }

    /// Whether the figures of a row are others than before: three times nothing is nothing, and what was
    /// recorded is drawn as it was.
    fn multiplies(&self, chapter: &str, row: &Row) -> bool {
        let is_own = chapter == self.chapter && row.contender == self.contender;
        let data = &self.book.analysis.data;
        let recorded =
            data.chapter(data.machines[0].name(), chapter).map(|found| &found.recordings);
        let is_recorded =
            recorded.is_some_and(|all| all.iter().any(|of| of.experiment == row.experiment));
        is_own && !is_recorded && row.measured().is_some_and(|measured| measured.high != 0.0)
    }

    fn figure(&self, before: &str, after: &str, changed: &mut Changed) {
        let mut before = Figure::read(before, self.book.built.path());
        let mut after = Figure::read(after, self.built.path());
        // On a linear scale marks may become too small to be seen, and then it is not offered.
        let views: BTreeSet<_> = before.points.keys().map(|point| point.view.clone()).collect();
        after.points.retain(|point, _| views.contains(&point.view));
        let views: BTreeSet<_> = after.points.keys().map(|point| point.view.clone()).collect();
        before.points.retain(|point, _| views.contains(&point.view));
        let (id, chapter) = (&before.id, &before.chapter);
        let named = before.points.keys().any(|point| self.names(chapter, &point.id));
        if !named {
            assert_eq!(before, after, "{id} does not draw {}", self.contender);
            return;
        }
        assert!(before.points.keys().eq(after.points.keys()), "{id} draws other rows");
        for (point, figures) in &before.points {
            let factor = if self.names(chapter, &point.id) { FACTOR } else { 1.0 };
            let multiplied = after.points[point].iter();
            assert_eq!(figures.len(), multiplied.len(), "{id}: {point:?}");
            // Ends of intervals have five digits, and a whisker is what one differs by from its value.
            let largest = figures.iter().copied().fold(0.0, f64::max);
            for (before, after) in figures.iter().zip(multiplied) {
                let expected = before * factor;
                let fits = (after - expected).abs() <= 2e-5 * factor * largest;
                assert!(fits, "{id}: {point:?} was {before} and is {after}, not {expected}");
            }
            changed.points += usize::from(factor != 1.0);
        }
        let own = format!("<td>{}</td>", self.contender);
        let is_own = |row: &&&str| row.contains(&own);
        let rows = |figure: &Figure<'_>, own: bool| {
            let rows = figure.rows.iter().filter(|row| is_own(row) == own);
            rows.map(|row| row.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(rows(&before, false), rows(&after, false), "{id}: rows of others");
        let (own_before, own_after) = (rows(&before, true), rows(&after, true));
        assert_eq!(own_before.len(), own_after.len(), "{id}");
        let differ = own_before.iter().zip(&own_after).filter(|(before, after)| before != after);
        let differ = differ.count();
        let drawn: BTreeSet<&String> = before.points.keys().map(|point| &point.id).collect();
        let multiplied = drawn.into_iter().filter(|name| self.names(chapter, name)).count();
        assert_eq!(differ, multiplied, "{id}: rows of {} that differ in its table", self.contender);
        changed.rows_of_tables += differ;
        assert!(before.numbers.keys().eq(after.numbers.keys()), "{id}: {:?}", before.numbers);
        for (of, number) in &before.numbers {
            self.number(of, chapter, number, after.numbers[of], changed);
        }
        if before.title != after.title {
            let names = |title: &str| title.contains(self.contender);
            let by_number = before.numbers.keys().any(|of| self.affects(of, chapter));
            let may = by_number || (names(&before.title) && names(&after.title));
            assert!(may, "{id}: the title changes and does not name {}", self.contender);
        }
        assert_ne!(before.alternative, after.alternative, "{id}");
        assert_ne!(before.still, after.still, "{id}");
        assert_eq!(before.steps.is_empty(), after.steps.is_empty(), "{id}");
        assert_eq!(before.rest, after.rest, "{id}");
    }

    /// Whether a row's name is that of a row that was multiplied.
    fn names(&self, chapter: &str, name: &str) -> bool {
        let experiment = name.split_once(':').map_or("", |(experiment, _)| experiment);
        let analysis = &self.book.analysis;
        // What the reference machine has nothing of is another's, and stays.
        if analysis.data.reference(chapter, experiment) != analysis.data.machines[0].name() {
            return false;
        }
        let data = analysis.data.chapter(analysis.data.machines[0].name(), chapter);
        let rows = &data.unwrap_or_else(|| panic!("{chapter} has no run")).evidence.rows;
        let row = rows.iter().find(|row| row.name() == name);
        self.multiplies(chapter, row.unwrap_or_else(|| panic!("no row is {name:?}")))
    }
}

/// A mark of a chart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    /// Which machines are shown, and on which scale.
    view: String,
    role: String,
    /// The row's name.
    id: String,
}

/// A chart, taken apart.
#[derive(Debug, PartialEq)]
struct Figure<'a> {
    id: String,
    chapter: String,
    views: String,
    alternative: String,
    /// The title without its numbers.
    title: String,
    /// The numbers of the title.
    numbers: BTreeMap<String, &'a str>,
    /// In the row's unit: values, and lengths of whiskers.
    points: BTreeMap<Point, Vec<f64>>,
    /// The rows of its tables.
    rows: Vec<&'a str>,
    /// The still picture, which is drawn from the first view.
    still: &'a str,
    /// The factors of a ladder, which stand in its views as well.
    steps: &'a str,
    /// Everything else.
    rest: String,
}

impl<'a> Figure<'a> {
    /// A chart of the book that was built there.
    fn read(html: &'a str, built: &Path) -> Figure<'a> {
        let script = attribute(html, "data-views").expect("a chart has views");
        let views = fs::read_to_string(built.join(script)).expect("its script is there");
        let of_attribute = |name: &str| -> Vec<String> {
            let names = attribute(html, name).unwrap_or_default();
            names.split('|').map(str::to_owned).collect()
        };
        let (machines, scales) = (of_attribute("data-machines"), of_attribute("data-scales"));
        let alternative = attribute(html, "aria-label").expect("a chart has an alternative");
        let (head, rest) = html.split_once("</figcaption>").expect("a chart has a title");
        let mut numbers = BTreeMap::new();
        let mut title = String::new();
        for piece in pieces(head.split_once("<figcaption>").expect("a chart has a title").1) {
            match piece {
                Piece::Number(of, html) => drop(numbers.insert(of, html)),
                Piece::Text(text) => title += text,
                other => panic!("in a title stands {other:?}"),
            }
        }
        let body = |table: &'a str| table.split("</tbody>").next().unwrap_or_default();
        let rows = rest.split("<tbody>").skip(1).flat_map(|table| body(table).split("</tr>"));
        let rows: Vec<&str> = rows.map(str::trim).filter(|row| !row.is_empty()).collect();
        const NOTE: &str = "<p class=\"measured-small\">";
        let between = |start: &str, end: &str| -> &'a str {
            let from = rest.find(start).unwrap_or(rest.len());
            let length = rest[from..].find(end).unwrap_or(rest.len() - from);
            &rest[from..from + length]
        };
        let still = between("<div class=\"measured-still\">", NOTE);
        let steps = between(&format!("{NOTE}Ratios of means,"), "</p>");
        // What stands in the picture for a step that cannot be told is explained if there is one.
        const LEVEL: &str = " ≈ stands for no difference detected.";
        let mut others = [still, steps, LEVEL]
            .iter()
            .fold(rest.to_owned(), |rest, piece| rest.replacen(piece, "", 1));
        for row in &rows {
            others = others.replacen(row, "", 1);
        }
        for name in ["data-views", "data-scales", "aria-label", "style"] {
            let raw = raw_attribute(&others, name).unwrap_or_default().to_owned();
            others = others.replacen(&raw, "", 1);
        }
        let list = views.trim().strip_prefix("measured.views(");
        let list = list.and_then(|list| list.strip_suffix(");")).expect("it calls measured.js");
        let parsed: Vec<Value> = serde_json::from_str(list).expect("views are JSON");
        assert_eq!(parsed.len(), machines.len() * scales.len(), "a view for each choice");
        let mut points: BTreeMap<Point, Vec<f64>> = BTreeMap::new();
        for (at, plot) in parsed.iter().enumerate() {
            let view = format!("{} {}", machines[at / scales.len()], scales[at % scales.len()]);
            let divisor = plot["layout"]["meta"]["divisor"].as_f64().unwrap();
            for trace in plot["data"].as_array().unwrap() {
                let ids = flat(&trace["ids"]);
                let letter = trace["meta"]["value"].as_str().unwrap_or("none");
                let role = trace["meta"]["role"].as_str().unwrap_or_default().to_owned();
                let error = &trace[format!("error_{letter}")];
                for figures in [&trace[letter], &error["array"], &error["arrayminus"]] {
                    for (id, figure) in ids.iter().zip(flat(figures)) {
                        if let (Some(id), Some(figure)) = (id.as_str(), figure.as_f64()) {
                            let (view, role) = (view.clone(), role.clone());
                            let point = Point { view, role, id: id.to_owned() };
                            points.entry(point).or_default().push(figure * divisor);
                        }
                    }
                }
            }
        }
        let chapter = parsed[0]["layout"]["meta"]["chapter"].as_str().unwrap().to_owned();
        let id = attribute(html, "id").expect("a chart has an id");
        let rest = others;
        Figure { id, chapter, views, alternative, title, numbers, points, rows, still, steps, rest }
    }
}

/// The elements of a list or of a list of lists.
fn flat(values: &Value) -> Vec<Value> {
    match values {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        Value::Null => Vec::new(),
        value => vec![value.clone()],
    }
}

/// How each kind of piece begins and ends, but for the text between.
const KINDS: [(&str, &str); 11] = [
    ("<figure class=\"measured-chart\"", "</figure>"),
    ("<span class=\"measured-number\"", "</span></span>"),
    ("<fieldset data-measured=", "</div>"),
    ("<figure class=\"measured-drawing\"", "</figure>"),
    ("<td class=\"measured-cost\"", ">"),
    ("<td class=\"measured-matters\"", "</td>"),
    ("<div class=\"measured-claim\" id=\"claim-", "</div>"),
    ("<li><span class=\"measured-verdict", "</li>"),
    ("<tr class=\"measured-trial\"", "</tr>"),
    ("<tr><td>", "</tr>"),
    ("<a href=\"", "</a>"),
];

/// Takes a page apart.
fn pieces(html: &str) -> Vec<Piece<'_>> {
    // The next piece of each kind: pages are long, and each is searched once.
    let mut next = KINDS.map(|kind| first_from(html, kind, 0));
    let (mut pieces, mut at) = (Vec::new(), 0);
    while let Some((from, to)) = next.iter().flatten().min().copied() {
        pieces.push(Piece::Text(&html[at..from]));
        pieces.push(piece(&html[from..to]));
        at = to;
        for (found, kind) in next.iter_mut().zip(KINDS) {
            if found.is_some_and(|(from, _)| from < at) {
                *found = first_from(html, kind, at);
            }
        }
    }
    if at < html.len() {
        pieces.push(Piece::Text(&html[at..]));
    }
    pieces
}

/// Where the first piece of a kind begins and ends, from a place of the page on.
fn first_from(html: &str, (start, end): (&str, &str), place: usize) -> Option<(usize, usize)> {
    html[place..].match_indices(start).find_map(|(from, _)| {
        let from = place + from;
        let to = from + html[from..].find(end)? + end.len();
        // Most rows and links have no verdict.
        let is_ours = start.contains("measured") || html[from..to].contains("measured-verdict");
        is_ours.then_some((from, to))
    })
}

fn piece(html: &str) -> Piece<'_> {
    if html.starts_with("<span class=\"measured-number\"") {
        return Piece::Number(attribute(html, "data-of").expect("a number says of what"), html);
    }
    let like_numbers =
        ["<fieldset", "<figure class=\"measured-drawing\"", "<td class=", "<tr class="];
    if like_numbers.iter().any(|start| html.starts_with(start)) {
        return Piece::FoundLikeNumbers;
    }
    if html.starts_with("<figure") {
        return Piece::Figure(html);
    }
    let links = html.split("#claim-").skip(1).filter_map(|rest| rest.split('"').next());
    let with_figures = html.starts_with("<div") || html.starts_with("<li");
    Piece::Verdict { claims: links.collect(), with_figures, html }
}

fn raw_attribute<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    html.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// The first attribute of a name, with its entities replaced.
fn attribute(html: &str, name: &str) -> Option<String> {
    let raw = raw_attribute(html, name)?;
    let entities = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")];
    Some(entities.iter().fold(raw.to_owned(), |text, (from, to)| text.replace(from, to)))
}
