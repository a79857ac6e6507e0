//! The context that pages are rendered with.

use std::collections::HashMap;
use std::path::Path;

use crate::claim::judged::JudgedClaim;
use crate::claim::records::ClaimRecords;
use crate::config::Config;
use crate::data::Data;
use crate::data::published::Published;

/// Everything that pages are rendered with.
pub(crate) struct RenderContext<'a> {
    /// Where the pages are.
    pub(crate) src: &'a Path,
    pub(crate) data: &'a Data,
    pub(crate) config: &'a Config,
    pub(crate) published: &'a Published,
    /// Since when each claim has stood as it stands; none for a book that does not record it.
    pub(crate) records: Option<&'a ClaimRecords>,
    /// All claims, in the order of the pages.
    pub(crate) claims: &'a [JudgedClaim],
    /// The page that holds the ledger, relative to src/, as HTML.
    pub(crate) ledger: Option<&'a str>,
    /// The title of each page, by its place as HTML.
    pub(crate) titles: &'a HashMap<String, String>,
}

impl RenderContext<'_> {
    /// A claim by its id.
    pub(crate) fn claim(&self, id: &str) -> Option<&JudgedClaim> {
        self.claims.iter().find(|judged| judged.claim.id == id)
    }
}
