//! What the chapter's page shows: a module an experiment. Each file compiles alone.

/// Numbers that cores share, or that lie on one cache line.
pub mod sharing {
    pub mod count;
    pub mod layout;
    pub mod read;
}
