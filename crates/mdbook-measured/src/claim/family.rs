//! Claim families: rows and columns, one predicate, and a sentence for each member.

use indexmap::IndexMap;
use measurement::LineError;
use serde::Deserialize;

use crate::claim::{self, Claim, ClaimPlace};
use crate::figure::names::FigureNames;
use crate::toml_block::{from_toml, line_of_entry, line_of_key};

/// A fenced `claims` block, which is drawn as the table that it is.
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
/// `{row}` and `{column}` are the names of the entries in an id, what they are `of` in a `ratio` or a
/// `value`, and their `words` in a sentence. A family may have no columns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsBlock {
    id: String,
    sentence: Option<String>,
    ratio: Option<String>,
    value: Option<String>,
    predicate: String,
    replicates: Option<String>,
    /// What stands over the heads of the rows.
    #[serde(default)]
    head: String,
    #[serde(default)]
    columns: IndexMap<String, Entry>,
    rows: IndexMap<String, Entry>,
}

/// A row or a column of a family. A row may have its own sentence and published claim.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What stands at its head; else its name.
    head: Option<String>,
    /// What it puts into the ratio or the value.
    #[serde(default)]
    of: String,
    /// What it is in a sentence; else its head.
    words: Option<String>,
    sentence: Option<String>,
    replicates: Option<String>,
}

impl Entry {
    fn head<'a>(&'a self, name: &'a str) -> &'a str {
        self.head.as_deref().unwrap_or(name)
    }

    fn words<'a>(&'a self, name: &'a str) -> &'a str {
        self.words.as_deref().unwrap_or(self.head(name))
    }
}

/// A family that has been read.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) head: String,
    /// The heads of the columns; of none the one of the figures.
    pub(crate) columns: Vec<String>,
    /// Each with its head, and the ids of its claims.
    pub(crate) rows: Vec<(String, Vec<String>)>,
}

impl Family {
    /// Reads a block that stands at `place`, in which these names hold, and its claims.
    ///
    /// # Errors
    ///
    /// With the line within the block.
    pub(crate) fn parse(
        block: &str,
        names: &FigureNames,
        place: &ClaimPlace<'_>,
    ) -> Result<(Family, Vec<Claim>), LineError> {
        let spec: ClaimsBlock = from_toml(block)?;
        if spec.rows.is_empty() {
            return Err(LineError::new(1, "a family of claims has [rows.name], one at least"));
        }
        for (name, column) in &spec.columns {
            if column.sentence.is_some() || column.replicates.is_some() {
                let message = "only a row may have a sentence or a source of its own";
                return Err(LineError::new(line_of_entry(block, "columns", name), message));
            }
        }
        let alone = Entry::default();
        let columns: Vec<(&str, &Entry)> = if spec.columns.is_empty() {
            vec![("", &alone)]
        } else {
            spec.columns.iter().map(|(name, column)| (name.as_str(), column)).collect()
        };
        let (mut rows, mut claims) = (Vec::new(), Vec::new());
        for (name, row) in &spec.rows {
            let mut ids = Vec::new();
            for (column_name, column) in &columns {
                let put = |text: &str, of_row: &str, of_column: &str| {
                    text.replace("{row}", of_row).replace("{column}", of_column)
                };
                let of = |text: &String| put(text, &row.of, &column.of);
                let sentence = row.sentence.as_ref().or(spec.sentence.as_ref());
                let sentence =
                    sentence.ok_or_else(|| LineError::new(1, "a `sentence` is missing"))?;
                let member = claim::ClaimBlock {
                    id: put(&spec.id, name, column_name),
                    sentence: put(sentence, row.words(name), column.words(column_name)),
                    ratio: spec.ratio.as_ref().map(of),
                    value: spec.value.as_ref().map(of),
                    predicate: spec.predicate.clone(),
                    replicates: row.replicates.clone().or(spec.replicates.clone()),
                    quick: false,
                };
                let claim = Claim::of(member, names, place).map_err(|wrong| {
                    let of_row = match wrong.key {
                        "ratio" | "value" => true,
                        "sentence" => row.sentence.is_some(),
                        _ => false,
                    };
                    if of_row {
                        LineError::new(line_of_entry(block, "rows", name), wrong.message)
                    } else {
                        wrong.on_line_of(block)
                    }
                })?;
                if claims.iter().any(|other: &Claim| other.id == claim.id) {
                    let message = format!("two claims of the family are {:?}", claim.id);
                    return Err(LineError::new(line_of_key(block, "id"), message));
                }
                ids.push(claim.id.clone());
                claims.push(claim);
            }
            rows.push((row.head(name).to_owned(), ids));
        }
        let columns = columns.iter().map(|(name, column)| match *name {
            "" => if spec.ratio.is_some() { "ratio" } else { "value" }.to_owned(),
            name => column.head(name).to_owned(),
        });
        Ok((Family { head: spec.head, columns: columns.collect(), rows }, claims))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = r#"
id        = "tea.{row}-{column}"
sentence  = "{row} takes less than {bound} of {column}."
ratio     = "boil: {row} / {column}"
predicate = "below 0.1"

[columns.kettle]
of = "kettle"
words = "what a kettle takes"

[rows.pot]
head = "Pot"
of = "pot, litres=1"

[rows.pan]
of = "pan"
sentence = "A pan takes {bound} of {column}."
replicates = "grandma.pan"
"#;

    fn family(from: &str, to: &str) -> Result<(Family, Vec<Claim>), LineError> {
        assert!(FAMILY.contains(from), "{from}");
        let place = ClaimPlace { page: "tea.html", line: 1, question: "", chapter: "tea" };
        Family::parse(&FAMILY.replacen(from, to, 1), &FigureNames::default(), &place)
    }

    #[test]
    fn each_member_is_a_claim_of_its_own() {
        let (family, claims) = family("", "").unwrap();
        assert_eq!(family.rows[0], ("Pot".to_owned(), vec!["tea.pot-kettle".to_owned()]));
        assert_eq!(claims[0].sentence, "Pot takes less than a tenth of what a kettle takes.");
        assert_eq!(claims[0].about(), "boil: pot, litres=1 / boil: kettle, litres=1");
        assert_eq!(claims[1].sentence, "A pan takes a tenth of what a kettle takes.");
        let replicated = claims.iter().map(|claim| claim.replicates.as_deref());
        assert_eq!(replicated.collect::<Vec<_>>(), [None, Some("grandma.pan")]);
    }

    #[test]
    fn what_is_no_family_is_refused() {
        let wrong = |from: &str, to: &str| family(from, to).unwrap_err().to_string();
        assert_eq!(
            wrong("tea.{row}-{column}", "tea.{column}"),
            "2: two claims of the family are \"tea.kettle\""
        );
        assert!(wrong("below", "under").starts_with("5: "));
        assert!(wrong("of = \"pan\"", "of = \"pan,\"").starts_with("15: "));
        assert!(
            wrong("of {column}.\"\nrepl", "of {colum}.\"\nrepl")
                .starts_with("15: nothing stands for")
        );
        assert!(wrong("words = \"what", "sentence = \"what").contains("7: only a row"));
        assert!(wrong("head = \"Pot\"", "haed = \"Pot\"").contains("haed"));
    }
}
