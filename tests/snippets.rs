//! Checks that every Rust block on every page compiles and runs as a reader would paste it,
//! including the lines that the page hides. Skeptic runs each block after all preprocessors have
//! run.
//!
//! Most of a block's cost is that of compiling and linking it separately. So all blocks that
//! should pass are first combined as modules of one program, like doc tests. If the program
//! fails, each block is tried alone and reports its own error.
//!
//! `cargo test --test snippets -- spawn-cost` runs the blocks of one page, each alone.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

use findings::DataScope;
use libtest_mimic::{Arguments, Failed, Trial};
use pages::driver::{self, ExpandedPage};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let expanded = driver::expand(root, DataScope::Committed);
    let (pages, _) = expanded.unwrap_or_else(|error| panic!("{error:#}"));
    let all: Vec<Snippet> = pages.iter().flat_map(snippets).collect();
    assert!(!all.is_empty(), "no page has a Rust block");
    let tries_all = arguments.filter.is_none() && !arguments.list;
    let all_pass = tries_all && passes(skeptic::rt::run_test, &together(&all));
    let trials = all.into_iter().map(|snippet| {
        let (name, ignored) = (snippet.name.clone(), snippet.has("ignore"));
        let passes = all_pass && snippet.attributes.is_empty();
        Trial::test(name, move || if passes { Ok(()) } else { snippet.test() })
            .with_ignored_flag(ignored)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

struct Snippet {
    /// The path of the page, and the line number of the opening fence in the page's source.
    name: String,
    /// The attributes that follow `rust` on the opening fence, such as `no_run`.
    attributes: Vec<String>,
    code: String,
}

/// Returns the Rust blocks of a page. Every fence in the source must still be a fence after all
/// preprocessors have run, so that no block is skipped silently.
fn snippets(page: &ExpandedPage) -> Vec<Snippet> {
    let (path, mut found, mut is_open) = (page.path.display(), Vec::new(), false);
    let lines = (1..).zip(page.source.lines());
    let mut fences = lines.filter(|(_, line)| line.trim_start().starts_with("```rust"));
    for event in Parser::new_ext(&page.expanded, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut words = info.split([',', ' ']).map(|word| word.trim().to_owned());
                is_open = words.next().as_deref() == Some("rust");
                if is_open {
                    let line = fences.next().map_or(0, |(line, _)| line);
                    let name = format!("src/{path}:{line}");
                    found.push(Snippet { name, attributes: words.collect(), code: String::new() });
                }
            }
            Event::Text(text) if is_open => {
                found.iter_mut().last().expect("one is open").code.push_str(&text);
            }
            Event::End(TagEnd::CodeBlock) => is_open = false,
            _ => {}
        }
    }
    let (count, more) = (found.len(), fences.count());
    let is_each = more == 0 && found.iter().all(|snippet| !snippet.name.ends_with(":0"));
    assert!(is_each, "src/{path} has {more} fences, but {count} snippets before them");
    found
}

fn together(all: &[Snippet]) -> String {
    let plain = all.iter().filter(|snippet| snippet.attributes.is_empty());
    let (mut modules, mut runs) = (String::new(), String::new());
    for (at, snippet) in plain.enumerate() {
        modules += &format!(
            "mod snippet_{at} {{\n{}\n\
             pub fn snippet_main() -> impl std::process::Termination {{ main() }}\n}}\n",
            snippet.whole()
        );
        runs += &format!(
            "let code = std::process::Termination::report(snippet_{at}::snippet_main());\n\
             assert_eq!(code, std::process::ExitCode::SUCCESS, {:?});\n",
            snippet.name
        );
    }
    format!("{modules}fn main() {{\n{runs}}}\n")
}

type Skeptic = fn(&str, &str, &str, &str);

fn passes(test: Skeptic, program: &str) -> bool {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // Skeptic looks for libraries relative to the output directory of a build script.
        let own = std::env::current_exe().expect("this test has a path");
        let profile = own.ancestors().nth(2).expect("tests are in <profile>/deps");
        let out = profile.join("build/snippets/out").display().to_string();
        test(env!("CARGO_MANIFEST_DIR"), &out, &host(), program);
    }));
    outcome.is_ok()
}

impl Snippet {
    fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|found| found == attribute)
    }

    fn whole(&self) -> String {
        let line = |line| {
            let hidden = str::trim_start(line).strip_prefix('#');
            let code = hidden.filter(|it| it.is_empty() || it.starts_with(' ')).unwrap_or(line);
            format!("{code}\n")
        };
        self.code.lines().map(line).collect()
    }

    fn test(&self) -> Result<(), Failed> {
        let check_only = self.has("no_run") || self.has("compile_fail");
        let test = if check_only { skeptic::rt::compile_test } else { skeptic::rt::run_test };
        match (passes(test, &self.whole()), self.has("compile_fail") || self.has("should_panic")) {
            (true, false) | (false, true) => Ok(()),
            (true, true) => Err("it compiles and runs, but says that it does not".into()),
            (false, false) => Err(format!("it does not compile or run:\n{}", self.whole()).into()),
        }
    }
}

fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("rustc prints text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}
