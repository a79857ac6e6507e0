//! Generates `LANGUAGE.md`, the documentation of what a page can contain, from the tables that
//! parse pages.

use crate::block::BlockKind;
use crate::directive::DIRECTIVES;

const BEGINNING: &str = "\
# The language of a page

Made by the tests of `language` from the tables that read it (`UPDATE_LANGUAGE=1 cargo test -p language`).

What was measured comes onto a page by name. A **selector** names a row as `experiment: contender, parameter=value,
quantity`, as much of it as it takes to be the only one; rows of another chapter as `chapter/experiment: ...`. A name of a
`figures` block stands for a selector, or for a part of one: `thread`, or with more items, `line: rayon, units=100`.
Whatever data say is shown as it stands: nothing in it is HTML, Markdown or a directive.

## In the line

A figure comes with its interval, which shows when asked for: that of the next run; of what two things do to each other,
a ratio or a difference, that of the machine's mean, as claims and charts have it. Where the figure alone would mislead, the
interval stands open beside it, in a title as well: at a difference that may be nothing, and at a ratio that may be 1. What is
not known within a factor of 1,000 is a dash. Only a difference's interval reaches below 0, and that of a part of a whole ends
at 100 %. A figure that hardly any visit comes near is not printed: in its place stands from where to where
nine of ten lie. Of one run that borrows from nobody there is no interval: `130 ns (one run)`.

mdBook's own directives, `{{#include ...}}` and the like, are left to mdBook. Two braces that begin no directive have a backslash
before them, `\\{{`, or stand in `code`.
";

/// Returns the text that `LANGUAGE.md` should have.
pub fn language() -> String {
    let directives =
        DIRECTIVES.map(|(form, becomes, _)| format!("| `{{{{{form}}}}}` | {becomes} |\n"));
    let blocks =
        BlockKind::ALL.map(|kind| format!("\n### `{}`\n\n{}", kind.word(), kind.language()));
    format!(
        "{BEGINNING}\n| directive | becomes |\n|---|---|\n{}\n## Blocks\n\nFenced blocks hold TOML.\n{}",
        directives.concat(),
        blocks.concat()
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_language_is_documented_as_it_is_read() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/LANGUAGE.md");
        if std::env::var_os("UPDATE_LANGUAGE").is_some() {
            std::fs::write(file, super::language()).unwrap();
        }
        let written = std::fs::read_to_string(file).unwrap_or_default();
        assert_eq!(written, super::language(), "UPDATE_LANGUAGE=1 brings LANGUAGE.md up to date");
    }
}
