//! What the chapter's page shows: a module an experiment. Each file compiles alone.

/// Adding up what all cores count.
pub mod accumulation {
    pub mod own;
    pub mod shared;
    pub mod slots;
}

/// Loads that wait for each other.
pub mod ladder {
    pub mod cycle;
}

/// A state that is touched on one core after another.
pub mod moved {
    pub mod state;
    pub mod time_stamps;
    pub mod turn;
}

/// Numbers that cores share, or that lie on one cache line.
pub mod sharing {
    pub mod count;
    pub mod layout;
    pub mod read;
}
