//! Checks that everything that pages and documents mention exists: files, commands with their
//! packages and tests, git tags, and methods.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::common::{files, read, root};
use crate::records::git;
use crate::BOOK;

/// Files that need not exist: examples in CONTRIBUTING.md, and files that readers create.
const MADE: [&str; 4] =
    ["data/local", "data/xeon-vm-2", "experiments/green-tea", "maps/parking_lot_rw_lock.rs"];

fn texts() -> impl Iterator<Item = (String, String)> {
    let documents =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "data/published/claims.toml"];
    let pages = files(&root().join("src"), ".md").into_iter();
    let pages = pages.map(|page| format!("src/{}", page.display()));
    let all = pages.chain(documents.map(str::to_owned));
    all.map(|file| (file.clone(), read(file)))
}

/// Lists all files below `directories`, relative to the root of the repository.
fn tree(directories: &[&'static str]) -> Vec<PathBuf> {
    let below = |of: &&'static str| {
        files(&root().join(of), "")
            .into_iter()
            .map(|file| Path::new(*of).join(file))
            .collect::<Vec<_>>()
    };
    directories.iter().flat_map(below).collect()
}

/// Returns the `cargo` commands in inline code and in code blocks. Comments after ` #` are
/// removed.
fn commands(text: &str) -> Vec<String> {
    let parts = text.split("\n```").enumerate().flat_map(|(index, part)| {
        let prose = part.replace('\n', " ");
        let spans: Vec<String> = match index % 2 {
            0 => prose.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
            _ => part.lines().map(|line| line.trim_start_matches("$ ").to_owned()).collect(),
        };
        spans
    });
    let commands = parts.filter(|span| span.starts_with("cargo "));
    commands.map(|span| span.split(" #").next().unwrap_or_default().to_owned()).collect()
}

/// If the repository lacks a file that the command needs, returns the name of that file.
fn missing(command: &str) -> Option<String> {
    let (command, behind) = command.split_once(" -- ").unwrap_or((command, ""));
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let after = |flag: &str| words[words.iter().position(|word| *word == flag)? + 1..].first();
    let is_there = |path: &String| root().join(path).exists();
    let mut needs = Vec::new();
    match words[..] {
        [of @ ("book" | "xtask"), command, ..] if !command.starts_with('-') => {
            needs.push(format!("crates/{of}/src/{}.rs", command.replace('-', "_")));
            let named = words[2..].iter().take_while(|word| **word != "--machine");
            let measured = named.filter(|word| command == "measure" && !word.starts_with("--"));
            needs.extend(measured.map(|name| match name.split_once('/') {
                Some((chapter, experiment)) => {
                    let reference = BOOK.analysis.data.reference(chapter, experiment);
                    format!("data/{reference}/{name}.jsonl")
                }
                None => format!("experiments/{name}"),
            }));
        }
        ["run" | "test" | "bench", ..] => {
            let package = after("-p").copied().unwrap_or(".");
            let homes = [".", "experiments", "crates"].map(|home| format!("{home}/{package}"));
            let home = homes.into_iter().find(|home| is_there(&format!("{home}/Cargo.toml")));
            let home = home.unwrap_or_else(|| package.to_owned());
            let programs = [("--test", "tests"), ("--bench", "benches")];
            let program = programs.iter().find_map(|(flag, of)| Some((of, after(flag)?)));
            needs.push(format!("{home}/Cargo.toml"));
            if let Some((of, name)) = program {
                let path = format!("{home}/{of}/{name}");
                let program = [format!("{path}.rs"), path.clone()];
                let program = program.into_iter().find(is_there).unwrap_or(path);
                let below = files(&root().join(&program), ".rs").into_iter();
                let sources = below.map(|file| root().join(&program).join(file));
                let sources = sources.chain([root().join(&program)]);
                let code: String =
                    sources.filter_map(|file| fs::read_to_string(file).ok()).collect();
                let asked = behind.split_whitespace().find(|word| !word.starts_with("--"));
                if asked.is_some_and(|name| !code.contains(&format!("fn {name}"))) {
                    return Some(format!("{program} with {behind}"));
                }
                needs.push(program);
            }
        }
        _ => {}
    }
    needs.into_iter().find(|path| !is_there(path))
}

#[test]
fn each_file_command_and_tag_that_is_named_is_there() {
    let there = tree(&["crates", "data", "experiments", "tests"]);
    let path =
        Regex::new(r"(?:^|[^\w./-])((?:crates|data|experiments|tests)/[\w.-]+(?:/[\w.-]+)*)")
            .unwrap();
    let symbol = Regex::new(r"(\w+)`? in ((?:crates|experiments)/[\w./-]+\.rs)").unwrap();
    let tag = Regex::new(r"\btag\s+`([^`]+)`").unwrap();
    let (mut named, mut mistakes) = (0, Vec::new());
    for (file, text) in texts() {
        for path in path.captures_iter(&text) {
            let path = path[1].trim_end_matches('.');
            let is_made = MADE.iter().any(|made| path.contains(made));
            let has = |it: &PathBuf| it.ancestors().any(|it| it.ends_with(path));
            named += 1;
            if !is_made && !there.iter().any(has) {
                mistakes.push(format!("{file}: {path} does not exist"));
            }
        }
        for of in symbol.captures_iter(&text).filter(|of| root().join(&of[2]).is_file()) {
            if !read(&of[2]).contains(&of[1]) {
                mistakes.push(format!("{file}: {} has no {}", &of[2], &of[1]));
            }
        }
        for command in commands(&text) {
            named += 1;
            mistakes.extend(missing(&command).map(|it| format!("{file}: `{command}`: no {it}")));
        }
        for tag in tag.captures_iter(&text) {
            let found = git(&["rev-parse", "--verify", &format!("refs/tags/{}", &tag[1])]);
            mistakes.extend(found.err().map(|_| format!("{file}: there is no tag {}", &tag[1])));
        }
    }
    assert!(named > 150, "only {named} names");
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}

/// Only methods of our own types, defined in `crates/` or `experiments/`, are looked up.
#[test]
fn each_method_that_a_document_names_is_there() {
    let code: Vec<String> = tree(&["crates", "experiments"])
        .iter()
        .filter(|file| file.extension().is_some_and(|it| it == "rs"))
        .map(read)
        .collect();
    let name = Regex::new(r"`([A-Z]\w*)::(\w+)`").unwrap();
    let mut named = 0;
    for file in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
        for name in name.captures_iter(&read(file)) {
            let made =
                Regex::new(&format!(r"\b(?:struct|enum|trait|impl) {}\b", &name[1])).unwrap();
            let has = Regex::new(&format!(r"\b{}\b", &name[2])).unwrap();
            let is_there = code.iter().any(|text| made.is_match(text) && has.is_match(text));
            assert!(is_there, "{file}: there is no {}", &name[0]);
            named += 1;
        }
    }
    assert!(named > 20, "only {named} names");
}
