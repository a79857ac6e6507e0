//! The settings of the preprocessor: `[preprocessor.measured]` in book.toml.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use measurement::name_check::{check_commit, check_slug};
use serde::Deserialize;

use crate::style::Style;
use crate::{Mistake, Mistakes};

/// The directory of the data, below the book's root.
pub const DATA: &str = "data";

/// The directory of the packages that measure, one per chapter, below the book's root.
pub const EXPERIMENTS: &str = "experiments";

/// The settings of the preprocessor. Paths are relative to the book's root.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// The machine whose figures the pages show, by its directory under `data`. Another machine
    /// is chosen for experiments that this one has no run of.
    pub reference: String,
    /// The file of published claims. Absent in a book without a ledger.
    pub published: Option<PathBuf>,
    /// The styles of contenders and other series, by name. They apply to every page.
    #[serde(default)]
    pub styles: BTreeMap<String, Style>,
    /// The address of the code at a commit. `{commit}` and `{path}` are replaced, as in
    /// `https://github.com/owner/name/tree/{commit}/{path}`.
    pub code_url_template: Option<String>,
}

impl Config {
    /// Parses the settings of a book.
    ///
    /// # Errors
    ///
    /// Fails if settings are missing or wrong.
    pub fn read(own: Option<toml::Table>) -> Result<Config, String> {
        let mut own = own.ok_or("there is no [preprocessor.measured]")?;
        // mdBook itself reads these keys.
        own.retain(|key, _| {
            !["command", "before", "after", "renderers", "optional"].contains(&key)
        });
        let config: Config = own.try_into().map_err(|error| error.to_string())?;
        check_slug("reference machine", &config.reference)?;
        Ok(config)
    }

    /// Returns the address of a file or directory of the repository at a commit; `None` if no
    /// template is set, or if the code isn't a commit, such as a changed tree.
    pub fn code_url(&self, path: &str, commit: &str) -> Option<String> {
        let template = self.code_url_template.as_ref().filter(|_| check_commit(commit).is_ok())?;
        Some(template.replace("{commit}", commit).replace("{path}", path))
    }
}

/// Returns a mistake in book.toml. Its line is the first one that begins with `begins`.
pub fn in_book_toml(root: &Path, begins: &str, message: String) -> Mistakes {
    let text = std::fs::read_to_string(root.join("book.toml")).unwrap_or_default();
    let index = text.lines().position(|line| line.trim_start().starts_with(begins)).unwrap_or(0);
    Mistakes(vec![Mistake { file: "book.toml".to_owned(), line: index + 1, message }])
}
