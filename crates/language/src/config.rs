//! `[preprocessor.measured]` in book.toml.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use measurement::name_check::check_slug;
use serde::Deserialize;

use crate::style::Style;
use crate::{Mistake, Mistakes};

/// The preprocessor's own settings. Paths are relative to the book's root.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The machine whose figures the pages tell, a directory under `data`, wherever it has any; elsewhere
    /// another one is found.
    pub reference: String,
    /// Where the data are.
    #[serde(default = "data")]
    pub data: PathBuf,
    /// Where the packages that measure are: a package a chapter.
    #[serde(default = "experiments")]
    pub experiments: PathBuf,
    /// What others published; a book without a ledger has none.
    pub published: Option<PathBuf>,
    /// How a contender looks on every page, or another series, by its name.
    #[serde(default)]
    pub styles: BTreeMap<String, Style>,
    /// Where the code can be read, with `{commit}` and `{path}` in it, such as
    /// `https://github.com/owner/name/tree/{commit}/{path}`.
    pub code_url_template: Option<String>,
}

fn data() -> PathBuf {
    "data".into()
}

fn experiments() -> PathBuf {
    "experiments".into()
}

impl Config {
    /// Reads the settings of a book, if it has any.
    ///
    /// # Errors
    ///
    /// In words, for book.toml, if they are missing or wrong.
    pub fn read(own: Option<toml::Table>) -> Result<Config, String> {
        let mut own = own.ok_or("there is no [preprocessor.measured]")?;
        // What mdBook itself reads.
        own.retain(|key, _| {
            !["command", "before", "after", "renderers", "optional"].contains(&key)
        });
        let config: Config = own.try_into().map_err(|error| error.to_string())?;
        check_slug("reference machine", &config.reference)?;
        Ok(config)
    }

    /// Where a file or directory of the repository can be read as it was at a commit.
    pub fn code_url(&self, path: &str, commit: &str) -> Option<String> {
        let template = self.code_url_template.as_ref()?;
        Some(template.replace("{commit}", commit).replace("{path}", path))
    }
}

/// A mistake in book.toml, on the line that begins with these words.
pub fn in_book_toml(root: &Path, begins: &str, message: String) -> Mistakes {
    let text = std::fs::read_to_string(root.join("book.toml")).unwrap_or_default();
    let index = text.lines().position(|line| line.trim_start().starts_with(begins)).unwrap_or(0);
    Mistakes(vec![Mistake { file: "book.toml".to_owned(), line: index + 1, message }])
}
