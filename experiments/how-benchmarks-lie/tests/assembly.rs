//! The assembly on the page is what LLVM makes of the functions that are
//! measured: each shown file is compiled alone, and compared.
//!
//! `UPDATE_ASSEMBLY=1 cargo test -p how-benchmarks-lie --test assembly` writes
//! it anew. It names the rustc and the target that it was written with; with
//! others, nothing is compared.
//!
//! Names and directives are left out, and where `black_box` left its
//! empty inline assembly, a comment says so.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const ARMS: [&str; 4] = ["deleted", "half_folded", "honest", "empty"];

#[test]
fn the_assembly_is_what_rustc_emits() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written_with = compiler();
    for arm in ARMS {
        let file = package.join(format!("assembly/{arm}.s"));
        let emitted = || {
            let source = package.join(format!("src/optimiser/{arm}.rs"));
            written_with.clone() + &function(&emit(&source))
        };
        if env::var_os("UPDATE_ASSEMBLY").is_some() {
            fs::write(&file, emitted()).unwrap();
        }
        let shown = fs::read_to_string(&file).unwrap();
        if shown.starts_with(&written_with) {
            assert_eq!(shown, emitted(), "{arm}: see the head of this test");
        } else {
            println!("{arm}: skipped, it was not written with {written_with}");
        }
    }
}

fn rustc(arguments: &[&str]) -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "rustc {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line with which a file begins.
fn compiler() -> String {
    let verbose = rustc(&["-vV"]);
    let version = verbose.lines().next().expect("rustc has a version");
    let target = verbose.lines().find_map(|line| line.strip_prefix("host: "));
    format!("# {version}, {}\n", target.expect("rustc has a target"))
}

fn emit(source: &Path) -> String {
    let mut arguments = vec!["--crate-type=lib", "--edition=2021"];
    arguments.extend(["--emit=asm=-", "-Copt-level=3", "-Cdebuginfo=0"]);
    arguments.push("-Cllvm-args=-x86-asm-syntax=intel");
    arguments.push(source.to_str().expect("the path is text"));
    rustc(&arguments)
}

/// The one function in a file's assembly, without its name and directives.
fn function(assembly: &str) -> String {
    let lines = assembly.lines().skip_while(|line| !line.starts_with("_ZN"));
    let lines = lines.take_while(|line| !line.starts_with(".Lfunc_end"));
    lines.skip(1).filter_map(shorten).collect()
}

fn shorten(line: &str) -> Option<String> {
    if let Some(label) = line.strip_suffix(':') {
        return Some(format!("{label}:\n"));
    }
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|word| match word {
            "#APP" => "# black_box",
            // The only constant that lies in memory.
            word if word.starts_with(".Lanon.") => "KEY]",
            word => word,
        })
        .collect();
    let directive = words[0].starts_with('.') || words[0] == "#NO_APP";
    (!directive).then(|| format!("    {}\n", words.join(" ")))
}
