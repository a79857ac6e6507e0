//! Each case in `tests/pages/*.txt` contains a change to the example book, and the expected text
//! on its pages or the expected mistakes. `UPDATE_PAGES=1 cargo test -p pages --test pages`
//! writes the actual results into the cases; review them.
//!
//! A case ends at a blank line. Its lines:
//!
//! | line | meaning |
//! |---|---|
//! | `# TEXT` | the purpose of the case |
//! | `blocks`, `recordings` | adds a page with every block, or a timeline, to the book |
//! | `in FILE` | the file that the next lines change; initially the page |
//! | `- TEXT`, `+ TEXT` | a string and its replacement; with `*` all its occurrences; `+` alone creates a file |
//! | `chart` | the following text replaces the chart |
//! | `drop TEXT`, `first N`, `remove` | removes the lines that contain it, or all after the first ones, or the file |
//! | `as NAME` | adds a machine with the data of kettle-1 |
//! | `row boil: pot, litres=1, time to the boil, ns: 1e9 2e9` | a row of three runs, replacing the data of the experiment; its visits, at least six, and after ` / ` those of the next run |
//! | `! TEXT` | the message of a build that is refused |
//! | `page FILE` | the page for the next lines; initially the same one |
//! | `= TEXT`, `~ TEXT` | a string that is there, or isn't |
//! | `picture VIEW` | the drawing of a machine's view of its first chart, in the lines with `\|`: each trace, axes and labels |

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use copy::{Copy, DATA, PAGE};
use picture::{part, picture};
use serde_json::{Map, Value, json};

mod copy;
mod fuzzed;
mod literal;
mod picture;

#[test]
fn what_is_wrong_is_refused() {
    check("refused");
}

#[test]
fn prose_is_as_its_figures_allow() {
    check("prose");
}

#[test]
fn charts_are_drawn_of_rows() {
    check("charts");
}

#[test]
fn blocks_are_shown() {
    check("blocks");
}

#[test]
fn recordings_are_drawn_and_told_in_words() {
    check("timelines");
}

fn check(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pages/{name}.txt"));
    let text = fs::read_to_string(&file).unwrap();
    let (mut all, mut line, mut wrong) = (Vec::new(), 1, String::new());
    for case in text.trim_end().split("\n\n") {
        let became = became(case);
        if became != case {
            wrong += &format!("{}:{line}: it became\n{became}\n\n", file.display());
        }
        line += case.lines().count() + 1;
        all.push(became);
    }
    if std::env::var_os("UPDATE_PAGES").is_some() {
        fs::write(&file, all.join("\n\n") + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

/// Returns the text of a case, with the actual results in place of the expected ones.
fn became(case: &str) -> String {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let is_header = |line: &&str| line.starts_with("{\"run\"");
    let mut change = Change {
        headers: text.lines().filter(is_header).map(str::to_owned).collect(),
        copy,
        file: PAGE.to_owned(),
        from: Vec::new(),
        is_everywhere: false,
        to: Vec::new(),
        rows: HashMap::new(),
    };
    let (mut became, mut asked) = (Vec::new(), Vec::new());
    for line in case.lines() {
        let (word, text) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "!" | "|" => {}
            "page" | "=" | "~" | "picture" => asked.push((word, text)),
            _ => {
                change.read(word, text);
                became.push(line.to_owned());
            }
        }
    }
    change.make();
    let copy = change.copy;
    if let Err(message) = copy.build() {
        assert!(!copy.path("book").exists(), "{case}\nsomething was written");
        became.extend(message.lines().map(|line| format!("! {line}")));
        return became.join("\n");
    }
    let mut page = copy.read("book/tea.html");
    for (word, text) in asked {
        let has = || page.replace('\u{a0}', " ").contains(text);
        let found = match word {
            "=" | "~" => {
                if has() {
                    "="
                } else {
                    "~"
                }
            }
            word => word,
        };
        became.push(format!("{found} {text}"));
        match word {
            "page" => page = copy.read(text),
            "picture" => became.extend(picture(&copy, &page, text)),
            _ => {}
        }
    }
    became.join("\n")
}

struct Change {
    copy: Copy,
    file: String,
    from: Vec<String>,
    is_everywhere: bool,
    to: Vec<String>,
    /// The headers of three runs, and the lines so far of each experiment's data file.
    headers: Vec<String>,
    rows: HashMap<String, Vec<String>>,
}

impl Change {
    fn read(&mut self, word: &str, text: &str) {
        let goes_on = match word {
            "-" | "*" => self.to.is_empty(),
            word => word == "+",
        };
        if !goes_on {
            self.make();
        }
        let Change { copy, file, .. } = self;
        match word {
            "#" => {}
            "-" | "*" => {
                self.from.push(text.to_owned());
                self.is_everywhere = word == "*";
            }
            "+" => self.to.push(text.to_owned()),
            "chart" => {
                self.from = vec![part(&copy.read(PAGE), "```chart\n", "\n```\n").to_owned()];
                self.is_everywhere = false;
            }
            "in" => text.clone_into(file),
            "blocks" => {
                copy.write("src/tea/blocks.md", include_str!("blocks.md"));
                copy.write("src/tea/pot.svg", include_str!("pot.svg"));
                let below = "- [Tea](tea.md)\n  - [Blocks](tea/blocks.md)";
                copy.change("src/SUMMARY.md", "[Tea](tea.md)", below);
            }
            "recordings" => {
                copy.write(
                    "data/kettle-1/tea/pour.recording.jsonl",
                    include_str!("pour.recording.jsonl"),
                );
                copy.write(PAGE, &(copy.read(PAGE) + include_str!("timeline.md")));
            }
            "drop" => self.keep(|_, line| !line.contains(text)),
            "first" => self.keep(|place, _| place < text.parse().unwrap()),
            "remove" => fs::remove_file(copy.path(file)).unwrap(),
            "as" => as_another(copy, text),
            "row" => self.row(text),
            word => panic!("{word:?} says nothing"),
        }
    }

    fn keep(&self, is_kept: impl Fn(usize, &str) -> bool) {
        let text = self.copy.read(&self.file);
        let lines = text.split_inclusive('\n').enumerate();
        let kept = lines.filter(|(place, line)| is_kept(*place, line)).map(|(_, line)| line);
        self.copy.write(&self.file, &kept.collect::<String>());
    }

    /// Replaces the lines `from` in the file by the lines `to`, and clears both.
    fn make(&mut self) {
        let [from, to] =
            [&mut self.from, &mut self.to].map(|lines| std::mem::take(lines).join("\n"));
        match (&*from, &*to) {
            ("", "") => {}
            ("", to) => self.copy.write(&self.file, &format!("{to}\n")),
            (from, to) if self.is_everywhere => {
                self.copy.write(&self.file, &self.copy.read(&self.file).replace(from, to));
            }
            (from, to) => self.copy.change(&self.file, from, to),
        }
    }

    /// Adds a row to each run of its experiment, after the rows that the case added before.
    fn row(&mut self, text: &str) {
        let (experiment, row) = text.split_once(": ").unwrap();
        let (names, visits) = row.rsplit_once(": ").unwrap();
        let names: Vec<&str> = names.split(", ").collect();
        let [contender, parameters @ .., quantity, unit] = &names[..] else { panic!("{text:?}") };
        let parameters: Map<String, Value> = parameters
            .iter()
            .map(|it| it.split_once('=').unwrap())
            .map(|(name, value)| {
                (name.to_owned(), value.parse::<u32>().map_or(json!(value), |it| json!(it)))
            })
            .collect();
        let visits: Vec<Vec<f64>> = visits
            .split(" / ")
            .map(|run| run.split(' ').map(|visit| visit.parse().unwrap()).collect())
            .collect();
        let header =
            |header: &String| header.replace("\"boil\"", &format!("{experiment:?}")) + "\n";
        let runs = self.rows.entry(experiment.to_owned());
        let runs = runs.or_insert_with(|| self.headers.iter().map(header).collect());
        for (run, of_run) in runs.iter_mut().zip(visits.iter().cycle()) {
            let points: Vec<f64> =
                of_run.iter().copied().cycle().take(of_run.len().max(6)).collect();
            let mut sorted = points.clone();
            sorted.sort_by(f64::total_cmp);
            let last = sorted.len() - 1;
            let row = json!({
                "contender": contender, "parameters": parameters, "quantity": quantity, "unit": unit,
                "estimate": (sorted[last / 2] + sorted[last.div_ceil(2)]) / 2.0, "low": sorted[0],
                "high": sorted[last], "points": points, "source": "criterion",
            });
            *run += &format!("{row}\n");
        }
        self.copy.write(&format!("data/kettle-1/tea/{experiment}.jsonl"), &runs.concat());
    }
}

#[test]
fn every_directive_can_be_written_as_it_is_documented() {
    let language = language::language();
    let forms = language.lines().filter_map(|line| line.strip_prefix("| `{{")?.split("}}").next());
    for form in forms {
        let copy = Copy::new();
        copy.change(PAGE, "{{ledger}}", &format!("{{{{{form}}}}}"));
        let wrong = copy.build().err().unwrap_or_default();
        for no_form in ["write it as", "is asked for as", "no directive", "a ratio is"] {
            assert!(!wrong.contains(no_form), "{form}: {wrong}");
        }
    }
}

#[test]
fn a_chapter_names_eight_claims_for_quick_runs_at_most() {
    let copy = Copy::new();
    let claim = |place: usize| {
        format!(
            "```claim\nid = \"tea.pot-{place}\"\nsentence = \"A pot takes long.\"\n\
             value = \"boil: pot, litres=1\"\npredicate = \"above 1\"\nquick = true\n```\n\n"
        )
    };
    let claims: String = (1..=9).map(claim).collect();
    copy.change(PAGE, "# Tea\n", &format!("# Tea\n\n{claims}"));
    // The first claim begins on line 3, and each claim has eight lines, so the ninth begins on
    // line 67.
    copy.refused(&["src/tea.md:67: ", "\"tea.pot-9\" is one more"]);
    copy.change(PAGE, &claim(9), "");
    copy.build().unwrap();
}

#[test]
fn a_build_that_fails_leaves_the_last_one_as_it_was() {
    let copy = Copy::new();
    copy.build().unwrap();
    let before = copy.read("book/tea.html");
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    copy.build().unwrap_err();
    assert_eq!(copy.read("book/tea.html"), before);
}

#[test]
fn line_ends_and_marks_of_other_systems_change_nothing_or_are_named() {
    let copy = Copy::new();
    copy.build().unwrap();
    let page = copy.read("book/tea.html");
    copy.write(PAGE, &copy.read(PAGE).replace('\n', "\r\n"));
    copy.build().unwrap();
    assert_eq!(copy.read("book/tea.html"), page);
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.write(PAGE, &(copy.read(PAGE) + "\r\n{{number\r\n\r\nboil: pot}}\r\n"));
    copy.refused(&["src/tea.md:24: a directive begins here and is never closed"]);
    for file in [DATA, "data/kettle-1/machine.json", "data/published/claims.toml"] {
        let copy = Copy::new();
        copy.write(file, &format!("\u{feff}{}", copy.read(file)));
        copy.refused(&[&format!("{file}:1: begins with a byte order mark")]);
    }
}

/// Tests files of data that an editor, a merge or an archive tool has damaged or left behind.
#[test]
fn what_is_no_file_of_data_is_refused() {
    let with = |file: &str, bytes: &[u8], expected: &str| {
        let copy = Copy::new();
        let path = copy.path(file);
        drop(fs::remove_file(&path));
        fs::write(path, bytes).unwrap();
        copy.refused(&[expected]);
    };
    let lines = Copy::new().read(DATA);
    let utf16: Vec<u8> =
        [0xfe, 0xff].into_iter().chain(lines.bytes().flat_map(|c| [0, c])).collect();
    with(DATA, &utf16, "data/kettle-1/tea/boil.jsonl:1: is UTF-16: save it as UTF-8");
    let file = "data/published/claims.toml";
    let latin: Vec<u8> =
        Copy::new().read(file).replace("stove", "po\u{ea}le").chars().map(|c| c as u8).collect();
    with(file, &latin, "data/published/claims.toml:4: is no UTF-8: the byte 0xEA is none of it");
    let merged = lines.replacen("\n{", "\n<<<<<<< HEAD\n{", 1);
    with(DATA, merged.as_bytes(), "data/kettle-1/tea/boil.jsonl:2: a merge left its markers here");
    with(
        "data/claims.jsonl",
        b"{}\n>>>>>>> theirs\n",
        "data/claims.jsonl:2: a merge left its markers here",
    );
    // Somebody may save a file with two runs next to the machines' directories, or in place of
    // the reader's own directory.
    for stray in ["data/boil.jsonl", "data/local"] {
        with(stray, lines.as_bytes(), &format!("{stray}:1: nobody reads this file: a run belongs"));
    }
    let tomorrow = lines.replace("2026-10-30T", "2999-10-30T");
    with(
        DATA,
        tomorrow.as_bytes(),
        "data/kettle-1/tea/boil.jsonl:1: the run began at 2999-10-30T10:12:00Z, and it is 2",
    );

    let copy = Copy::new();
    let pipe = copy.path("data/kettle-1/tea/pour.jsonl");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    copy.refused(&[
        "data/kettle-1/tea/pour.jsonl:1: cannot be read: it is no file, but a pipe or a device",
    ]);
    // Uses a broken symbolic link, which fails in the same way as an unreadable directory. A test
    // that runs as root couldn't make a directory unreadable.
    for place in ["data/kettle-2", "data/kettle-1/coffee"] {
        let copy = Copy::new();
        std::os::unix::fs::symlink("nowhere", copy.path(place)).unwrap();
        copy.refused(&[&format!("{place}:1: cannot be read: ")]);
    }
}

/// A run has no commit to link to if its source tree came from an archive, or had changes.
#[test]
fn what_is_no_commit_has_no_address() {
    let copy = Copy::new();
    let url = "code-url-template = \"https://code.example/{commit}/{path}\"\npublished =";
    copy.change("book.toml", "published =", url);
    let runs = copy.read(DATA);
    for (commit, has_address) in [("0123abc", true), ("0123abc-dirty", false), ("unknown", false)] {
        copy.write(DATA, &runs.replace("0123abc", commit));
        copy.build().unwrap();
        let page = copy.read("book/tea.html");
        assert!(page.contains("at commit <code>"), "{commit}");
        assert_eq!(page.contains("https://code.example/"), has_address, "{commit}");
    }
}

/// Adds a machine named `name` (perhaps the reader's own) with the runs of the first machine.
fn as_another(copy: &Copy, name: &str) {
    let files = fs::read_dir(copy.path("data/kettle-1/tea")).unwrap();
    let files = files.map(|file| format!("tea/{}", file.unwrap().file_name().display()));
    for file in files.chain(["machine.json".to_owned()]) {
        let text = copy.read(&format!("data/kettle-1/{file}"));
        copy.write(&format!("data/{name}/{file}"), &text.replace("kettle-1", name));
    }
}
