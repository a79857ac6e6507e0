//! Claims on pages: their cards, the index and the ledger.

pub(crate) mod card;
pub(crate) mod index;
pub(crate) mod ledger;
