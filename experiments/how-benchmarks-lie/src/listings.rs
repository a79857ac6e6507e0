//! The code on the chapter's page: one module per exhibit, and one file per
//! arm. Each file compiles on its own.

/// Programs for `block_on`, and the ways to run them.
pub mod block_on {
    pub mod outside;
    pub mod ping_pong;
}

/// A clock around one operation, or around many.
pub mod clock {
    pub mod in_a_batch;
    pub mod one_by_one;
}

/// A program that allocates.
pub mod counting {
    pub mod records;
}

/// A loop that is compiled several times.
pub mod layout {
    pub mod add_up;
}

/// Tasks that are awaited, and tasks that are not.
pub mod not_awaited {
    pub mod awaited;
    pub mod dropped;
}

/// A server that stalls periodically, and two clients.
pub mod omission {
    pub mod closed_loop;
    pub mod open_loop;
    pub mod server;
}

/// A hash that LLVM may delete.
pub mod optimiser {
    pub mod chained;
    pub mod deleted;
    pub mod empty;
    pub mod half_folded;
    pub mod honest;
}

/// The order of visits, and a rule for telling two programs apart.
pub mod order {
    pub mod blocks;
    pub mod mirrored;
    pub mod shuffled;
    pub mod verdict;
}

/// The ratio of two programs' times, summarised in three ways.
pub mod same_against_same {
    pub mod mean;
    pub mod median;
    pub mod paired_median;
}

/// Two threads, and summaries of their times.
pub mod two_modes {
    pub mod exchange;
    pub mod mean;
    pub mod modes;
}

/// Counters of requests, with and without a lock, and with two kinds of
/// lookup.
pub mod unequal_work {
    pub mod mutex_borrowed;
    pub mod mutex_owned;
    pub mod refcell_borrowed;
}
