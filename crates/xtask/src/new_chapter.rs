//! `cargo xtask new-chapter`: a chapter after the pattern of `crates/example-chapter`.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Error, Result};
use measurement::name_check::check_slug;

use crate::files::{list, read, write};

/// The package that is the pattern.
const EXAMPLE: &str = "example-chapter";

/// Makes a chapter from the example in the workspace at `root`, and says what comes next: a package under
/// experiments/, a page, and a line for each in Cargo.toml and in src/SUMMARY.md, in the last part that has chapters.
pub(crate) fn execute(root: &Path, name: &str) -> Result<()> {
    check_slug("chapter", name).map_err(Error::msg)?;
    let package = Path::new("experiments").join(name);
    let page = PathBuf::from(format!("src/{name}.md"));
    for path in [&package, &page] {
        let path = path.display();
        ensure!(
            !root.join(path.to_string()).exists(),
            "{path} is there already: choose another name"
        );
    }
    let example = root.join("crates").join(EXAMPLE);
    let (mut written, mut evidence) = (Vec::new(), String::new());
    for file in list(&example, true)? {
        let text = renamed(&read(&file)?, name);
        let file = file.strip_prefix(&example)?.to_string_lossy().into_owned();
        match file.as_str() {
            // What follows on the page once there are data.
            "evidence.md" => evidence = text,
            // The chapters have one together.
            "rustfmt.toml" => {}
            "page.md" => written.push((page.clone(), text)),
            _ => written.push((package.join(file.replace(EXAMPLE, name)), text)),
        }
    }
    let title = title(name);
    for (file, begins, ends, line) in [
        ("Cargo.toml", "\ndefault-members = [\n", "\n]", format!("    \"experiments/{name}\",")),
        ("src/SUMMARY.md", "\n# Choosing a runtime\n", "\n\n#", format!("- [{title}]({name}.md)")),
    ] {
        let text = read(&root.join(file))?;
        let (before, list) =
            text.split_once(begins).with_context(|| format!("{file} has no line {begins:?}"))?;
        let (list, behind) = list.split_once(ends).unwrap_or((list.trim_end(), ""));
        let ends = if behind.is_empty() { "\n" } else { ends };
        written.push((file.into(), format!("{before}{begins}{list}\n{line}{ends}{behind}")));
    }
    for (file, text) in written {
        write(&root.join(&file), &text)?;
        say!("Wrote {}", file.display());
    }
    say!(
        "\nNext:\n  \
         cargo test -p {name}                  do all contenders give the right answer?\n  \
         cargo run -r -p {name} -- --list      what is measured?\n  \
         cargo book --open                     the page as it is\n\
         Commit, measure (CONTRIBUTING.md, \"Data\"), and put such a thing at the page's end:\n\n{evidence}"
    );
    Ok(())
}

/// A text of the example as one of the chapter: by its name, as Rust writes it, and as a title.
fn renamed(text: &str, name: &str) -> String {
    let forms: [fn(&str) -> String; 3] = [str::to_owned, |name| name.replace('-', "_"), title];
    forms.iter().fold(text.to_owned(), |text, form| text.replace(&form(EXAMPLE), &form(name)))
}

/// `spawn-cost` as `Spawn cost`.
fn title(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..].replace('-', " ")
}
