//! Machine code of a function, as shown on a page of the book. A chapter's
//! tests check that it is up to date.
//!
//! A page includes assembly from the chapter's folder `assembly`. A test
//! compares the file with the current output of rustc, and `UPDATE_ASSEMBLY=1
//! cargo test -p <chapter> assembly` rewrites it. The file names the rustc
//! and the target that produced it; with any other, nothing is compared.
//! Names and directives are left out, and a comment replaces the empty inline
//! assembly of `black_box`.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The instructions and labels of a function, one per line.
pub struct Assembly(Vec<String>);

impl Assembly {
    /// Compiles only the file `source`, with optimisation, and returns the
    /// code of `function`. If several modules have a function of this name,
    /// give it as `module::function`. Constants in memory are shown as
    /// `constant`.
    ///
    /// # Errors
    ///
    /// Fails with rustc's errors, or if the output doesn't contain the
    /// function.
    pub fn of(
        source: &Path,
        function: &str,
        constant: &str,
    ) -> Result<Assembly, String> {
        // rustc puts its temporary files next to the output, so the output
        // needs a directory of its own.
        let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
        let stem = source.file_stem().ok_or("the path names no file")?;
        let emitted = directory.path().join(stem).with_extension("s");
        let source = source.to_str().ok_or("the path is no text")?;
        rustc(&[
            "--crate-type=lib",
            "--edition=2021",
            "--emit=asm",
            &format!("--out-dir={}", directory.path().display()),
            "-Copt-level=3",
            "-Cdebuginfo=0",
            "-Cllvm-args=-x86-asm-syntax=intel",
            source,
        ])?;
        let assembly =
            fs::read_to_string(emitted).map_err(|e| e.to_string())?;
        // In a mangled name, each part is preceded by its length, as in
        // `4sort`.
        let names = function.split("::");
        let names = names.map(|name| format!("{}{name}", name.len()));
        let mangled: String = names.collect();
        let names_it = |line: &str| {
            let is_label = line.starts_with('_') && line.ends_with(':');
            is_label && line.contains(&mangled)
        };
        let lines = assembly.lines().skip_while(|line| !names_it(line));
        let lines = lines.take_while(|line| !line.starts_with(".Lfunc_end"));
        let lines = lines.skip(1).filter_map(|line| shorten(line, constant));
        let lines = Assembly(lines.collect());
        if lines.0.is_empty() {
            Err(format!("{source}: {function} is not emitted"))
        } else {
            Ok(lines)
        }
    }

    /// Keeps only the first loop: from a label up to the jump back to it.
    /// Drops jump targets outside the loop, such as error paths.
    pub fn only_loop(self) -> Assembly {
        let label = |line: &str| {
            let (jump, label) = line.trim().split_once(' ')?;
            jump.starts_with('j').then(|| format!("{label}:"))
        };
        let mut places = self.0.iter().enumerate();
        let turn = places.find_map(|(from, line)| {
            let label = label(line)?;
            let to = self.0[..from].iter().position(|line| *line == label)?;
            Some(to..=from)
        });
        Assembly(turn.map_or(Vec::new(), |turn| self.0[turn].to_vec()))
    }

    /// Returns the instructions without labels and indentation.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        let is_label = |line: &&String| line.ends_with(':');
        let lines = self.0.iter().filter(move |line| !is_label(line));
        lines.map(|line| line.trim())
    }

    /// Compares the assembly with the file that a page shows. If the file was
    /// made by another compiler, prints a message instead of comparing.
    ///
    /// Fails if the assembly differs, or if the file cannot be read or
    /// written.
    pub fn compare(&self, shown: &Path) -> Result<(), String> {
        let name = shown.display();
        let named = |error| format!("{name}: {error}");
        let written_with = compiler()?;
        let emitted = format!("{written_with}{}\n", self.0.join("\n"));
        if env::var_os("UPDATE_ASSEMBLY").is_some() {
            fs::write(shown, &emitted).map_err(named)?;
        }
        let text = fs::read_to_string(shown).map_err(named)?;
        if !text.starts_with(&written_with) {
            println!("{name}: skipped, it was not written with {written_with}");
        } else if text != emitted {
            return Err(format!("{name} shows\n{text}\nnot\n{emitted}"));
        }
        Ok(())
    }
}

fn rustc(arguments: &[&str]) -> Result<String, String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(arguments).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("rustc {arguments:?}: {said}"));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Returns the first line of an assembly file, which names the compiler and
/// its target.
fn compiler() -> Result<String, String> {
    let verbose = rustc(&["-vV"])?;
    let version = verbose.lines().next().unwrap_or_default();
    let target = verbose.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(format!("# {version}, {}\n", target.unwrap_or_default()))
}

fn shorten(line: &str, constant: &str) -> Option<String> {
    if let Some(label) = line.strip_suffix(':') {
        return (!label.starts_with(".Lfunc_")).then(|| format!("{label}:"));
    }
    let words = line.split_whitespace().map(|word| match word {
        "#APP" => "# black_box".to_owned(),
        word if word.starts_with(".Lanon.") => format!("{constant}]"),
        word => word.to_owned(),
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let is_left_out = line.is_empty()
        || [".", "#NO_APP", "#MEMBARRIER"]
            .iter()
            .any(|of| line.starts_with(of));
    (!is_left_out).then(|| format!("    {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_what_is_jumped_back_to_until_it_is() {
        let text =
            "    jmp .B\n.A:\n    inc rax\n.B:\n    jne .A\n    jmp .A\n    ret";
        let all = Assembly(text.lines().map(str::to_owned).collect());
        assert!(all.only_loop().instructions().eq(["inc rax", "jne .A"]));
    }

    #[test]
    fn a_page_that_shows_something_else_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("adds.rs");
        let text = "#[inline(never)]\npub fn add(a: u64) -> u64 { a + 1 }\n";
        fs::write(&source, text).unwrap();
        let emitted = Assembly::of(&source, "add", "").unwrap();
        assert!(emitted.instructions().any(|line| line == "ret"));
        assert!(Assembly::of(&source, "subtract", "").is_err());
        let shown = directory.path().join("adds.s");
        for (first, is_right) in
            [(compiler().unwrap(), false), ("# another rustc\n".into(), true)]
        {
            fs::write(&shown, first + "    ret\n").unwrap();
            assert_eq!(emitted.compare(&shown).is_ok(), is_right);
        }
    }
}
