//! What the chapter's page shows. Each compiles alone.

pub mod shutdown;
