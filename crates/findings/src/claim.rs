//! Judged claims: their verdicts on each machine, the history of their predicates, and how often
//! verdicts turn out to be wrong.

mod exception;
mod judged;
pub mod records;
pub mod trials;

pub use exception::in_numbers;
pub use judged::{JudgedClaim, Judgement, on_page};

#[cfg(test)]
mod tests {
    use language::claim::{Claim, ClaimPlace};
    use language::names::FigureNames;

    /// Parses a claim of a chapter named Tea. `block` is the text of the block without the
    /// claim's id.
    pub(super) fn claim(block: &str) -> Claim {
        let (page, question) = ("tea.html".to_owned(), String::new());
        let place = ClaimPlace { page, line: 1, question, chapter: "tea".to_owned() };
        let block = format!("id = 'tea.pot'\n{block}");
        Claim::parse(&block, &FigureNames::default(), place).unwrap()
    }
}
