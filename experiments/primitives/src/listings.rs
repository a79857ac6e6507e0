//! The code on the chapter's page. Each file compiles on its own.

pub mod shutdown;
