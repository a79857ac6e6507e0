//! The settings of the preprocessor, which are under `[preprocessor.measured]` in book.toml.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use measurement::name_check::{check_commit, check_slug};
use serde::Deserialize;

use crate::style::Style;
use crate::{Mistake, Mistakes};

/// The directory with the measured data, relative to the book's root.
pub const DATA: &str = "data";

/// The directory of the experiments' packages, one per chapter, relative to the book's root.
pub const EXPERIMENTS: &str = "experiments";

/// The settings of the preprocessor. Paths are relative to the book's root.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The name of the machine whose figures the pages show, which is also the name of its
    /// directory under `data`. If this machine has not run an experiment, the pages show the
    /// figures of another machine.
    pub reference: String,
    /// The file that lists published claims. `None` in a book without a ledger.
    pub published: Option<PathBuf>,
    /// The styles of contenders and other series, keyed by their names. They apply to every page.
    #[serde(default)]
    pub styles: BTreeMap<String, Style>,
    /// The template for the address of code in a commit, with placeholders for the commit and the
    /// path: `https://github.com/owner/name/tree/{commit}/{path}`.
    pub code_url_template: Option<String>,
}

impl Config {
    /// Parses the table `[preprocessor.measured]` of book.toml.
    ///
    /// # Errors
    ///
    /// Fails if settings are missing or wrong.
    pub fn read(own: Option<toml::Table>) -> Result<Config, String> {
        let mut own = own.ok_or("there is no [preprocessor.measured]")?;
        // These keys are for mdBook itself.
        own.retain(|key, _| {
            !["command", "before", "after", "renderers", "optional"].contains(&key)
        });
        let config: Config = own.try_into().map_err(|error| error.to_string())?;
        check_slug("reference machine", &config.reference)?;
        Ok(config)
    }

    /// Returns the address of a file or directory of the repository at a commit. Returns `None`
    /// if no template is set, or if `commit` isn't a commit id, for example because the tree had
    /// uncommitted changes.
    pub fn code_url(&self, path: &str, commit: &str) -> Option<String> {
        let template = self.code_url_template.as_ref().filter(|_| check_commit(commit).is_ok())?;
        Some(template.replace("{commit}", commit).replace("{path}", path))
    }
}

/// Returns a mistake in book.toml, located at the first line that starts with `begins`.
pub fn in_book_toml(root: &Path, begins: &str, message: String) -> Mistakes {
    let text = std::fs::read_to_string(root.join("book.toml")).unwrap_or_default();
    let index = text.lines().position(|line| line.trim_start().starts_with(begins)).unwrap_or(0);
    Mistakes(vec![Mistake { file: "book.toml".to_owned(), line: index + 1, message }])
}
