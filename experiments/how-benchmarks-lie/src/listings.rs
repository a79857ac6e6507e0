//! The code on the chapter's page: one module per experiment, and one file
//! per way to measure. Each file compiles on its own.

/// A program of two tasks, and a function that runs it with `block_on`.
pub mod block_on {
    pub mod outside;
    pub mod ping_pong;
}

/// Two ways to time an operation: reading the clock around each operation, or
/// around many operations.
pub mod clock {
    pub mod in_a_batch;
    pub mod one_by_one;
}

/// A program that allocates memory in small pieces.
pub mod counting {
    pub mod records;
}

/// A loop that is compiled into one program several times.
pub mod layout {
    pub mod add_up;
}

/// A benchmark that awaits its tasks, and one that doesn't.
pub mod not_awaited {
    pub mod awaited;
    pub mod dropped;
}

/// A server that stalls periodically, and two clients that measure its
/// latency.
pub mod omission {
    pub mod closed_loop;
    pub mod open_loop;
    pub mod server;
}

/// A hash that LLVM may delete from the program.
pub mod optimiser {
    pub mod chained;
    pub mod deleted;
    pub mod empty;
    pub mod half_folded;
    pub mod honest;
}

/// Orders in which to measure two programs, and a rule for deciding whether
/// they differ.
pub mod order {
    pub mod blocks;
    pub mod mirrored;
    pub mod shuffled;
    pub mod verdict;
}

/// Three ways to summarise the ratio of two programs' times.
pub mod same_against_same {
    pub mod mean;
    pub mod median;
    pub mod paired_median;
}

/// Two threads that exchange messages, together with summaries of how long
/// the exchanges took.
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
