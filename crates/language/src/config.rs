//! `[preprocessor.measured]` in book.toml.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use measurement::name_check::check_slug;
use serde::Deserialize;

use crate::style::Style;
use crate::{Mistake, Mistakes};

/// The directory of the data, below the book's root.
pub const DATA: &str = "data";

/// The directory of the packages that measure, one per chapter, below the book's root.
pub const EXPERIMENTS: &str = "experiments";

/// The preprocessor's own settings. Paths are relative to the book's root.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The machine whose figures the pages show if it has any, a directory under `data`; otherwise
    /// another one is chosen.
    pub reference: String,
    /// The file of published claims; a book without a ledger has none.
    pub published: Option<PathBuf>,
    /// The styles of contenders and other series on every page, by name.
    #[serde(default)]
    pub styles: BTreeMap<String, Style>,
    /// The address of the code, with `{commit}` and `{path}` in it, such as
    /// `https://github.com/owner/name/tree/{commit}/{path}`.
    pub code_url_template: Option<String>,
}

impl Config {
    /// Parses the settings of a book.
    ///
    /// # Errors
    ///
    /// In words, for book.toml, if they are missing or wrong.
    pub fn read(own: Option<toml::Table>) -> Result<Config, String> {
        let mut own = own.ok_or("there is no [preprocessor.measured]")?;
        // Keys that mdBook itself reads.
        own.retain(|key, _| {
            !["command", "before", "after", "renderers", "optional"].contains(&key)
        });
        let config: Config = own.try_into().map_err(|error| error.to_string())?;
        check_slug("reference machine", &config.reference)?;
        Ok(config)
    }

    /// Returns the address of a file or directory of the repository at a commit.
    pub fn code_url(&self, path: &str, commit: &str) -> Option<String> {
        let template = self.code_url_template.as_ref()?;
        Some(template.replace("{commit}", commit).replace("{path}", path))
    }
}

/// Returns a mistake in book.toml, on the line that begins with these words.
pub fn in_book_toml(root: &Path, begins: &str, message: String) -> Mistakes {
    let text = std::fs::read_to_string(root.join("book.toml")).unwrap_or_default();
    let index = text.lines().position(|line| line.trim_start().starts_with(begins)).unwrap_or(0);
    Mistakes(vec![Mistake { file: "book.toml".to_owned(), line: index + 1, message }])
}
