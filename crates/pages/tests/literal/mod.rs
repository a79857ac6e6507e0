//! Checks that pages show text from data literally. If a book's data are full of special syntax
//! of HTML, Markdown, mdBook, scripts and SVG, its pages, index and scripts must equal those of a
//! book with `§qqq` in the same places.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::copy::{Copy, DATA, PAGE};

/// Strings that would have an effect if they weren't escaped. None contains `, `, because that
/// separates the parts of a machine's name.
const HOSTILE: [&str; 28] = [
    "{{#include ../secret.txt}}",
    "\\{{#include ../secret.txt}}",
    "{{#title secret}}",
    "{{number boil: pot}}",
    "{{ledger}}",
    "{row}{bound}{{{content}}}",
    "{#id .class}",
    "<script>secret()</script>",
    "</script></style></svg></td></div></details><h1>",
    "<img src=x onerror=secret()>",
    "<!-- ANCHOR: all --><![CDATA[ ]]>",
    "\" onload=\"secret()\" ' data-x='",
    "&lt;b&gt; &#123; &amp;",
    "*a* **b** __c__ _d_ ~~e~~",
    "`code` ``` code",
    "[a](javascript:secret()) ![b](c) [^d] [e]",
    "\\* \\< \\& \\",
    "\"a\" 'b' a--b---c... $a$ $$b$$",
    ":|a|b| |-|-|",
    "%{x}<br>%7C|%",
    "(\n\n# heading\n\n- item\n\n```figures\na = 1\n```\n\n)",
    "(\r\r# heading\r\n\r\n| a | b |\r\n)",
    "- item",
    "+ item",
    "= item",
    ": item",
    "# item",
    "\u{1F375}\u{1b}[31m\u{0}\u{7f}\u{85}\u{2028}é;",
];

/// The number of strings by which each field of the data moves on in [`HOSTILE`] from one test book
/// to the next.
const STRIDE: usize = 4;
const TOGETHER: usize = 5;

#[test]
fn text_of_data_is_shown_as_it_stands() {
    let alone =
        |shift: usize| move |field: usize| HOSTILE[(field + shift) % HOSTILE.len()].to_owned();
    for shift in (0..HOSTILE.len()).step_by(STRIDE) {
        check(&alone(shift));
    }
    check(&|field| {
        let parts =
            (0..TOGETHER).map(|part| HOSTILE[(field * 11 + part * part * 5) % HOSTILE.len()]);
        parts.collect()
    });
}

/// A function that returns the string for the field with the given number.
type Text<'a> = &'a dyn Fn(usize) -> String;

fn check(text: Text<'_>) {
    let (found, used) = site(text);
    let (expected, _) = site(&|field| harmless(&text(field)));
    let names = |site: &Site| site.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected));
    for (name, expected) in expected {
        let is_searched = name == SEARCHED;
        let found = shown(&found[&name], &used, is_searched);
        if found != expected {
            let line = found.lines().zip(expected.lines()).find(|(one, other)| one != other);
            panic!("not shown as it stands in {name}: {line:#?}");
        }
        assert!(!found.contains("SECRET"), "{name} holds a file");
    }
}

/// Returns a string of the same length that contains no special syntax.
fn harmless(text: &str) -> String {
    let of = |(place, c): (usize, char)| match c {
        _ if c.is_control() => ' ',
        _ if place == 0 => '§',
        _ => 'q',
    };
    text.chars().enumerate().map(of).collect()
}

type Site = BTreeMap<String, String>;

/// The name of the entry in a [`Site`] with the text that searches show.
const SEARCHED: &str = "searched";

/// Replaces each of the strings `texts` in a file by a harmless one. Also replaces the forms into
/// which HTML, JSON or a script would escape them.
fn shown(file: &str, texts: &BTreeSet<String>, is_searched: bool) -> String {
    let mut forms = Vec::new();
    for text in texts {
        let json = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
        let (mut harmless, in_script) = (harmless(text), json(text));
        let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if is_searched {
            [text, harmless] = [&text, &harmless].map(|text| words(text));
        }
        let tags =
            |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let of_choice = text.replace('%', "%25").replace('|', "%7C");
        let mut all = vec![in_script, json(&tags(&text)), json(&text), text.clone()];
        for text in [&text, &of_choice, &json(&text)] {
            let in_attribute = tags(text).replace('"', "&quot;").replace('\'', "&#39;");
            all.extend([in_attribute.replace('\\', "&#92;"), tags(text)]);
        }
        forms.extend(all.into_iter().map(|form| (form, harmless.clone())));
    }
    // Start with the longest string, because it may contain a shorter one.
    forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    forms.iter().fold(file.to_owned(), |file, (form, harmless)| file.replace(form, harmless))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Builds a book from data in which each field contains the string that `of_field` returns for
/// the field's number. Returns the site and these strings.
fn site(of_field: Text<'_>) -> (Site, BTreeSet<String>) {
    let mut used = BTreeSet::new();
    let mut fields = 0..;
    let mut text = || {
        let text = of_field(fields.next().unwrap());
        used.insert(text.clone());
        text
    };
    let copy = Copy::new();
    copy.write("secret.txt", "SECRET");
    copy.change("book.toml", "enable = false\n\n[output.html.print]\nenable = false", "");
    copy.write("src/tea/blocks.md", include_str!("../blocks.md"));
    copy.write("src/tea/pot.svg", include_str!("../pot.svg"));
    let below = "- [Tea](tea.md)\n  - [Blocks](tea/blocks.md)";
    copy.change("src/SUMMARY.md", "[Tea](tea.md)", below);
    copy.write("data/kettle-1/tea/pour.recording.jsonl", include_str!("../pour.recording.jsonl"));
    let everything = "\n\n{{machines}}\n\n{{twins}}\n\n{{claims}}\n\n\
         A litre takes {{number boil: kettle, litres=1}}.\n\
         It is broken: {{number boil: broken, litres=1}}.\n\n";
    copy.write(PAGE, &(copy.read(PAGE) + everything + include_str!("../timeline.md")));

    let published = copy.read("data/published/claims.toml");
    let mut published: toml::Table = published.parse().unwrap();
    let source = published["source"]["grandma"].as_table_mut().unwrap();
    for key in ["title", "code", "machine", "note"] {
        source.insert(key.to_owned(), text().into());
    }
    let claim = published["claim"][0].as_table_mut().unwrap();
    for key in ["quantity", "claim", "note", "open_question", "missing_in_source"] {
        claim.insert(key.to_owned(), text().into());
    }
    claim["figures"].as_table_mut().unwrap().insert(text(), 1.0.into());
    // A published claim can't be untestable while our claims answer it. Therefore, add another
    // published claim.
    let mut other = claim.clone();
    other.insert("id".to_owned(), "grandma.other".into());
    other.insert("not_testable".to_owned(), text().into());
    published["claim"].as_array_mut().unwrap().push(other.into());
    copy.write("data/published/claims.toml", &published.to_string());

    let [rustc, name, version, own_use, boot, fault, group, row] = [(); 8].map(|()| text());
    let mut data = String::new();
    for line in copy.read(DATA).lines() {
        let mut line: Map<String, Value> = serde_json::from_str(line).unwrap();
        if line.contains_key("run") {
            line.insert("rustc".to_owned(), json!(rustc));
            line.insert("crates".to_owned(), json!({ name.clone(): version }));
            line.insert("own_use".to_owned(), json!(own_use));
            line.insert("host".to_owned(), json!({ "boot": boot }));
            let mut faulty = line.clone();
            faulty.insert("run".to_owned(), json!("2026-01-01T00:00:00Z"));
            faulty.insert("fault".to_owned(), json!(fault));
            faulty.insert("rows".to_owned(), json!(0));
            if data.is_empty() {
                data += &format!("{}\n", json!(faulty));
            }
        } else {
            line.insert("group".to_owned(), json!(group));
            line.insert("derived_from".to_owned(), json!([row]));
        }
        data += &format!("{}\n", json!(line));
    }
    let failed = json!({
        "contender": "broken", "parameters": {"litres": 1}, "quantity": "time to the boil",
        "unit": "ns", "failed": text(),
    });
    data += &format!("{failed}\n");

    let mut machine: Map<String, Value> =
        serde_json::from_str(&copy.read("data/kettle-1/machine.json")).unwrap();
    for key in [
        "name",
        "short",
        "cpu",
        "architecture",
        "os",
        "kernel",
        "clock_source",
        "governor",
        "idle_governor",
        "other_scheduler",
    ] {
        machine.insert(key.to_owned(), json!(text()));
    }
    for key in ["caches", "kernel_parameters", "mitigations", "limits"] {
        machine.insert(key.to_owned(), json!({ text(): text() }));
    }
    // The machine's short name is cut at 190 characters. Only the concatenated strings are
    // longer.
    let short: String = text().chars().take(190).collect();
    used.insert(short.clone());
    for place in ["1", "2"] {
        let name = format!("kettle-{place}");
        machine.insert("short".to_owned(), json!(format!("{short}{place}")));
        machine.insert("machine".to_owned(), json!(name));
        copy.write(&format!("data/{name}/machine.json"), &json!(machine).to_string());
        let data = data.replace("\"kettle-1\"", &format!("{name:?}"));
        copy.write(&format!("data/{name}/tea/boil.jsonl"), &data);
    }
    copy.build().unwrap_or_else(|error| panic!("{error}"));
    let mut site = Site::new();
    files(&copy.path("book"), "", &mut site);
    (site, used)
}

/// Collects the pages, the search index and the charts' scripts below `directory`, and removes
/// the hashes from their names.
fn files(directory: &Path, under: &str, into: &mut Site) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{under}/{}", path.file_name().unwrap().display());
        let is_own = name.ends_with(".html") || name.starts_with("/measured/charts/");
        if path.is_dir() {
            files(&path, &name, into);
        } else if is_own {
            let text = fs::read_to_string(&path).unwrap();
            into.insert(without_hashes(&name), without_hashes(&text));
        } else if name.starts_with("/searchindex") {
            into.insert(SEARCHED.to_owned(), searched(&fs::read_to_string(&path).unwrap()));
        }
    }
}

fn without_hashes(text: &str) -> String {
    let hash = regex::Regex::new("-[0-9a-f]{8}\\.").unwrap();
    hash.replace_all(text, "-HASH.").into_owned()
}

/// Returns all strings that a search can show, one per line.
fn searched(script: &str) -> String {
    let (_, json) = script.split_once("JSON.parse('").unwrap();
    let json = json.rsplit_once("')").unwrap().0.replace("\\'", "'").replace("\\\\", "\\");
    let index: Value = serde_json::from_str(&json).unwrap();
    let docs = index.pointer("/index/documentStore/docs").unwrap().as_object().unwrap();
    let texts = docs.values().flat_map(|doc| doc.as_object().unwrap().values());
    let texts = texts.filter_map(Value::as_str);
    texts.map(|text| words(text) + "\n").collect()
}
