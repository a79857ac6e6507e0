//! A family of claims: similar claims with one predicate, in rows and columns, each with a
//! sentence of its own.

use std::mem;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::block::{BlockError, Place, from_toml};
use crate::claim::{Claim, ClaimBlock, ClaimPlace};
use crate::names::FigureNames;
use crate::wrong;

/// The content of a `claims` block, which is shown as a table.
///
/// ```toml
/// id        = "send-tax.{row}-beside-{column}"
/// sentence  = "{row} costs less than {bound} of {column}."
/// ratio     = "share-of-request: {row} / {column}"
/// predicate = "below 0.1"
///
/// [columns.json]
/// head  = "JSON"
/// of    = "serde_json parse"
/// words = "the parsing of a body"
///
/// [rows.switch]
/// of    = "task switch"
/// words = "A task switch"
/// ```
///
/// `{row}` and `{column}` are replaced in several keys: in `id` by the name of the row or column,
/// in `ratio` or `value` by its `of`, in `sentence` by its `words`. A family may have no columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsBlock {
    id: String,
    sentence: Option<String>,
    ratio: Option<String>,
    value: Option<String>,
    predicate: String,
    replicates: Option<String>,
    /// The heading of the first column, above the headings of the rows. If there are no columns,
    /// the heading of the figures.
    #[serde(default)]
    head: String,
    #[serde(default)]
    columns: IndexMap<String, Entry>,
    rows: IndexMap<String, Entry>,
}

/// A row or a column in a table of similar claims. A row may have its own sentence and its own
/// published claim, instead of those given for the whole table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The heading of the row or column. The default is the name of the entry.
    head: Option<String>,
    /// The text that this row or column inserts into `ratio` or `value`.
    #[serde(default)]
    of: String,
    /// The words that this row or column inserts into the sentence. The default is its heading.
    words: Option<String>,
    sentence: Option<String>,
    replicates: Option<String>,
}

impl Entry {
    fn head(&self, name: &str) -> String {
        self.head.as_deref().unwrap_or(name).to_owned()
    }

    fn words(&self, name: &str) -> String {
        self.words.clone().unwrap_or_else(|| self.head(name))
    }
}

/// The headings of the table that shows a family of claims.
#[derive(Debug)]
pub struct Family {
    /// The heading of the first column, above the headings of the rows.
    pub head: String,
    /// The headings of the columns. If the family has no columns, the only heading is that of its
    /// figures.
    pub columns: Vec<String>,
    /// The headings of the rows. Each row has one claim per column.
    pub rows: Vec<String>,
}

impl Family {
    /// Parses a `claims` block at `place`, and returns its table headings and its claims. `names`
    /// lists the names that the page defines. An error gives the line number within the block.
    pub fn parse(
        block: &str,
        names: &FigureNames,
        place: &ClaimPlace,
    ) -> Result<(Family, Vec<Claim>), BlockError> {
        let mut spec: ClaimsBlock = from_toml(block)?;
        if spec.rows.is_empty() {
            wrong!(1, "a family of claims has [rows.name], one at least");
        }
        let has_own = |entry: &Entry| entry.sentence.is_some() || entry.replicates.is_some();
        if let Some((name, _)) = spec.columns.iter().find(|(_, column)| has_own(column)) {
            wrong!(("columns", name), "only a row may have a sentence or a source of its own");
        }
        if spec.columns.is_empty() {
            let alone = Entry { head: Some(mem::take(&mut spec.head)), ..Entry::default() };
            spec.columns.insert(String::new(), alone);
        }
        let (mut rows, mut claims) = (Vec::new(), Vec::<Claim>::new());
        for (row_name, row) in &spec.rows {
            for (column_name, column) in &spec.columns {
                let put = |text: &str, of_row: &str, of_column: &str| {
                    text.replace("{row}", of_row).replace("{column}", of_column)
                };
                let of = |text: &String| put(text, &row.of, &column.of);
                let sentence = row.sentence.as_ref().or(spec.sentence.as_ref());
                let sentence =
                    sentence.ok_or_else(|| BlockError::new(1, "a `sentence` is missing"))?;
                let member = ClaimBlock {
                    id: put(&spec.id, row_name, column_name),
                    sentence: put(sentence, &row.words(row_name), &column.words(column_name)),
                    ratio: spec.ratio.as_ref().map(of),
                    value: spec.value.as_ref().map(of),
                    predicate: spec.predicate.clone(),
                    replicates: row.replicates.clone().or(spec.replicates.clone()),
                    quick: false,
                };
                let claim = Claim::of(member, names, place.clone());
                let is_own = |key: &str| match key {
                    "sentence" => row.sentence.is_some(),
                    key => matches!(key, "ratio" | "value"),
                };
                let claim = claim.map_err(|wrong| match &wrong.at {
                    Place::Entry("", key) if is_own(key) => {
                        BlockError::new(("rows", row_name), wrong.message)
                    }
                    _ => wrong,
                })?;
                if claims.iter().any(|other| other.id == claim.id) {
                    wrong!("id", "two claims of the family are {:?}", claim.id);
                }
                claims.push(claim);
            }
            rows.push(row.head(row_name));
        }
        let columns = spec.columns.iter().map(|(name, column)| column.head(name)).collect();
        Ok((Family { head: spec.head, columns, rows }, claims))
    }
}
