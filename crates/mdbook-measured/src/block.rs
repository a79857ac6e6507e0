//! Fenced blocks that are read and shown, a file each.

pub(crate) mod calculator;
pub(crate) mod costs;
pub(crate) mod predict;
pub(crate) mod table;
