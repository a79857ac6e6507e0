//! The code listings of the chapter's page, one module per experiment. Each
//! file compiles on its own.

/// Ways to count events on all cores and add up the counts.
pub mod accumulation {
    pub mod own;
    pub mod shared;
    pub mod slots;
}

/// Pointer chasing: each load needs the result of the previous one.
pub mod ladder {
    pub mod cycle;
}

/// Memory that is touched on one core after another.
pub mod moved {
    pub mod state;
    pub mod time_stamps;
    pub mod turn;
}

/// Numbers that several cores share, or neighbouring numbers on one cache
/// line.
pub mod sharing {
    pub mod count;
    pub mod layout;
    pub mod read;
}
