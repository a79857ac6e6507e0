//! The code on the chapter's page, one module per experiment. Each file
//! compiles alone.

/// Ways to add up the counts of all cores.
pub mod accumulation {
    pub mod own;
    pub mod shared;
    pub mod slots;
}

/// Loads that depend on each other.
pub mod ladder {
    pub mod cycle;
}

/// State that is touched on one core after another.
pub mod moved {
    pub mod state;
    pub mod time_stamps;
    pub mod turn;
}

/// Numbers that cores share, or that are on the same cache line.
pub mod sharing {
    pub mod count;
    pub mod layout;
    pub mod read;
}
