//! Judged claims: their verdicts on each machine, the history of their predicates, and how often
//! verdicts are wrong.

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

    /// Parses a claim of the chapter Tea. `block` is the block's text without the id.
    pub(super) fn claim(block: &str) -> Claim {
        let (page, question) = ("tea.html".to_owned(), String::new());
        let place = ClaimPlace { page, line: 1, question, chapter: "tea".to_owned() };
        let block = format!("id = 'tea.pot'\n{block}");
        Claim::parse(&block, &FigureNames::default(), place).unwrap()
    }
}
