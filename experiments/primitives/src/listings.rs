//! The code on the chapter's page. Each file compiles alone.

pub mod shutdown;
