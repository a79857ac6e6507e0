//! Titles of charts. A title states a finding.

use findings::claim::JudgedClaim;
use language::block::{At, BlockError, check_id};
use language::directive::Directive;
use language::page::directives;
use language::subject::Subject;
use measurement::Verdict;

use crate::directive::{ask, inline};
use crate::on_page::OnPage;
use crate::rich_text::RichText;

/// Checks the id of a block, and returns the title of its chart.
pub(crate) fn title(id: &str, words: &str, on: &OnPage<'_>) -> Result<RichText, BlockError> {
    check_id(id).at("id")?;
    decided(words, on).at("title")
}

/// Returns a title, which must not state anything undecided. A ratio implies that two things
/// differ, so its claim must be decided. A single figure needs no claim.
fn decided(text: &str, on: &OnPage<'_>) -> Result<RichText, String> {
    for found in directives(text) {
        if let Directive::Figure(subject) = ask(&found.text?, on)?
            && subject.is_ratio()
        {
            is_decided(&subject, on)?;
        }
    }
    inline(text, on)
}

fn is_decided(subject: &Subject, on: &OnPage<'_>) -> Result<(), String> {
    let told = subject.in_full(&on.page.chapter);
    let is_undecided = |judged: &&JudgedClaim| {
        judged.on_reference().verdict == Verdict::Undecided
            && judged.claim.subject.in_full(&judged.claim.chapter) == told
    };
    match on.book.claims.iter().find(is_undecided) {
        None => Ok(()),
        Some(JudgedClaim { claim, .. }) => Err(format!(
            "the title tells of what the claim {:?} calls undecided: title the chart by what it shows",
            claim.id
        )),
    }
}
