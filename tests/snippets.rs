//! Every Rust block of every page compiles and runs, as a reader would paste it: with the lines that
//! the page hides. Skeptic does it, on pages as the renderer gets them.
//!
//! Most of what a block costs is to be compiled and linked alone. So all that are to pass are modules
//! of one program first, as rustdoc has it with examples; if that fails, each is tried alone, and
//! says so itself.
//!
//! `cargo test --test snippets -- spawn-cost` runs those of one page, each alone.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use mdbook_measured::driver::{self, ExpandedPage};
use mdbook_measured::DataScope;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages =
        driver::expand(root, DataScope::Committed).unwrap_or_else(|error| panic!("{error:#}"));
    let mut trials = vec![Trial::test("every Rust block is counted", {
        let pages = pages.clone();
        move || every_block_is_counted(&pages)
    })];
    let all: Vec<(String, Snippet)> = pages.iter().flat_map(named).collect();
    let together = arguments.filter.is_none().then(|| Arc::new(Together::of(&all)));
    for (name, snippet) in all {
        let (ignored, together) = (snippet.has("ignore"), together.clone());
        let run = move || match &together {
            Some(together) if snippet.is_plain() && together.pass() => Ok(()),
            _ => snippet.test(),
        };
        trials.push(Trial::test(name, run).with_ignored_flag(ignored));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A page's snippets, named by the line of the fence in the source; that there are as many of both is
/// tested.
fn named(page: &ExpandedPage) -> Vec<(String, Snippet)> {
    let name = |line| format!("src/{}:{line}", page.path.display());
    let names = fences(&page.source).into_iter().map(name);
    names.zip(snippets(&page.expanded)).collect()
}

/// The lines on which a page's source opens a block of Rust.
fn fences(source: &str) -> Vec<usize> {
    let opens = |line: &str| line.trim_start().starts_with("```rust");
    let lines = source.lines().enumerate();
    lines.filter(|(_, line)| opens(line)).map(|(index, _)| index + 1).collect()
}

/// Each fence of a page's source is a snippet after all preprocessors, so none is skipped silently.
fn every_block_is_counted(pages: &[ExpandedPage]) -> Result<(), Failed> {
    let mut total = 0;
    for page in pages {
        let fences = fences(&page.source).len();
        let found = snippets(&page.expanded).len();
        if fences != found {
            let page = page.path.display();
            return Err(format!("{page} has {fences} fences, but {found} snippets").into());
        }
        total += found;
    }
    if total == 0 {
        return Err("no page has a Rust block".into());
    }
    Ok(())
}

/// A fenced block of Rust.
struct Snippet {
    /// What stands behind `rust` on the fence, such as `no_run`.
    attributes: Vec<String>,
    code: String,
}

fn snippets(page: &str) -> Vec<Snippet> {
    let mut found = Vec::new();
    let mut open: Option<Snippet> = None;
    for event in Parser::new_ext(page, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut words = info.split([',', ' ']).map(|word| word.trim().to_owned());
                if words.next().as_deref() == Some("rust") {
                    open = Some(Snippet { attributes: words.collect(), code: String::new() });
                }
            }
            Event::Text(text) => {
                if let Some(snippet) = &mut open {
                    snippet.code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            _ => {}
        }
    }
    found
}

/// All snippets that are to compile and run, as one program.
struct Together {
    program: String,
    passes: OnceLock<bool>,
}

impl Together {
    fn of(all: &[(String, Snippet)]) -> Together {
        let plain = all.iter().filter(|(_, snippet)| snippet.is_plain());
        let (mut modules, mut runs) = (String::new(), String::new());
        for (at, (name, snippet)) in plain.enumerate() {
            modules += &format!(
                "mod snippet_{at} {{\n{}\n\
                 pub fn snippet_main() -> impl std::process::Termination {{ main() }}\n}}\n",
                snippet.whole()
            );
            runs += &format!(
                "let code = std::process::Termination::report(snippet_{at}::snippet_main());\n\
                 assert_eq!(code, std::process::ExitCode::SUCCESS, {name:?});\n"
            );
        }
        let program = format!("{modules}fn main() {{\n{runs}}}\n");
        Together { program, passes: OnceLock::new() }
    }

    /// Whether it compiles and runs. Only the first who asks waits for that to be tried.
    fn pass(&self) -> bool {
        *self.passes.get_or_init(|| passes(skeptic::rt::run_test, &self.program))
    }
}

/// What skeptic does with a program: `compile_test` or `run_test`.
type Skeptic = fn(&str, &str, &str, &str);

fn passes(test: Skeptic, program: &str) -> bool {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // Skeptic looks for the libraries from where a build script's output would be.
        let own = std::env::current_exe().expect("this test has a path");
        let profile = own.ancestors().nth(2).expect("tests are in <profile>/deps");
        let out = profile.join("build/snippets/out").display().to_string();
        test(env!("CARGO_MANIFEST_DIR"), &out, &host(), program);
    }));
    outcome.is_ok()
}

impl Snippet {
    /// Whether it is to compile and run, and nothing else is said of it.
    fn is_plain(&self) -> bool {
        self.attributes.is_empty()
    }

    fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|found| found == attribute)
    }

    /// The code with the lines that a page hides behind `# `.
    fn whole(&self) -> String {
        let mut whole = String::new();
        for line in self.code.lines() {
            let hidden = line.trim_start();
            whole += match hidden.strip_prefix("# ") {
                Some(code) => code,
                None if hidden == "#" => "",
                None => line,
            };
            whole.push('\n');
        }
        whole
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

/// The platform that this compiler compiles for.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("rustc prints text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}
