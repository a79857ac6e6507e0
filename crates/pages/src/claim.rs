//! Shows claims on pages: as cards, in the index of all claims, and in the ledger of published
//! claims.

pub(crate) mod card;
pub(crate) mod index;
pub(crate) mod ledger;
