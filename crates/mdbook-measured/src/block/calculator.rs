//! What so many take of several kinds: a table for some counts, and for any count that a reader types.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::LineError;
use serde::Deserialize;

use crate::figure::names::FigureNames;
use crate::figure::number_format::thousands;
use crate::figure::rich_text::RichText;
use crate::figure::selector::Term;
use crate::html::Escaped;
use crate::toml_block::{from_toml, line_of_entry, line_of_key};

/// A fenced `calculator` block.
///
/// ```toml
/// head   = "idle, all together"
/// counts = [1000, 1000000]
///
/// [kinds]
/// "a thread each" = "idle: std::thread + kernel memory per unit"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CalculatorBlock {
    head: String,
    counts: Vec<u64>,
    kinds: IndexMap<String, String>,
}

/// The same, read.
#[derive(Debug)]
pub(crate) struct Calculator {
    head: String,
    /// How many, from column to column.
    pub(crate) counts: Vec<u64>,
    /// What each row is of, and all that one of it takes.
    pub(crate) kinds: Vec<(String, Vec<Term>)>,
}

/// A row of the table.
pub(crate) struct Computed {
    pub(crate) words: String,
    /// What one takes, in bytes, unless that was not measured.
    pub(crate) each: Option<f64>,
    /// What so many take.
    pub(crate) totals: Vec<RichText>,
}

impl Calculator {
    /// Reads a block, in which these names hold.
    ///
    /// # Errors
    ///
    /// With the line within the block.
    pub(crate) fn parse(block: &str, names: &FigureNames) -> Result<Calculator, LineError> {
        let CalculatorBlock { head, counts, kinds } = from_toml(block)?;
        if counts.is_empty() {
            return Err(LineError::new(line_of_key(block, "counts"), "no count is given"));
        }
        if kinds.is_empty() {
            let message = "nothing is counted under [kinds]";
            return Err(LineError::new(line_of_key(block, "head"), message));
        }
        let kind = |(words, each): (String, String)| {
            let line = line_of_entry(block, "kinds", &words);
            let terms = names.sum(&each);
            terms.map(|terms| (words, terms)).map_err(|message| LineError::new(line, message))
        };
        let kinds = kinds.into_iter().map(kind).collect::<Result<_, _>>()?;
        Ok(Calculator { head, counts, kinds })
    }

    /// As HTML that is a block of its own in Markdown. The column for the reader's own count is made by
    /// `measured.js`, which multiplies.
    pub(crate) fn html(&self, kinds: &[Computed]) -> Markup {
        html! {
            div.table-wrapper {
                table.measured-calculator {
                    thead {
                        tr {
                            th { (Escaped(&self.head)) }
                            @for count in &self.counts {
                                th scope="col" { (thousands(&count.to_string())) }
                            }
                        }
                    }
                    tbody {
                        @for Computed { words, each, totals } in kinds {
                            tr data-each=[*each] {
                                th scope="row" { (Escaped(words)) }
                                @for total in totals { td { (total.html()) } }
                            }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "head = \"all\"\ncounts = [10, 2000]\n[kinds]\n\"a pot\" = \"a: b, bytes per c + kernel memory per c\"\n";

    fn wrong(block: &str) -> String {
        Calculator::parse(block, &FigureNames::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_row_has_what_one_takes_and_all_totals() {
        let read = Calculator::parse(BLOCK, &FigureNames::default()).unwrap();
        let (words, terms) = &read.kinds[0];
        let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
        assert_eq!(terms, ["a: b, bytes per c", "a: b, kernel memory per c"]);
        let row = |each| Computed { words: words.clone(), each, totals: vec![RichText::default()] };
        let html = read.html(&[row(Some(96.5)), row(None)]).into_string();
        assert!(html.contains("<th scope=\"col\">2,000</th>"), "{html}");
        assert!(html.contains("<tr data-each=\"96.5\"><th scope=\"row\">a pot</th>"), "{html}");
        assert_eq!(html.matches("data-each").count(), 1, "{html}");
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        assert!(wrong(&BLOCK.replace("10, 2000", "")).starts_with("2: no count"));
        assert!(wrong(&BLOCK.replace("10", "-1")).starts_with("2: "));
        assert!(wrong("head = \"all\"\ncounts = [1]\n[kinds]\n").contains("nothing is counted"));
        assert!(wrong(&BLOCK.replace("a: b", "a")).starts_with("4: "));
        assert!(wrong(&BLOCK.replace("counts", "count")).contains("unknown field"));
    }
}
