//! What all pages of a book say.

use std::path::PathBuf;

use crate::claim::JudgedClaim;
use crate::claim::records::ClaimRecords;
use crate::config::Config;
use crate::data::{Data, Published};
use crate::page::Page;

/// What all pages together say.
#[derive(Debug)]
pub struct Analysis {
    /// The preprocessor's settings.
    pub config: Config,
    /// The runs.
    pub data: Data,
    /// What others published.
    pub published: Published,
    /// Since when each claim has stood as it stands, in a book that records it.
    pub records: Option<ClaimRecords>,
    /// The claims of all pages, judged.
    pub claims: Vec<JudgedClaim>,
    pub(crate) pages: Vec<Page>,
    /// Where the pages are.
    pub(crate) src: PathBuf,
}
