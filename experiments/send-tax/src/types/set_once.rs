//! Values that are set once and then only read, and plain references for
//! comparison.

/// Reads through a plain reference.
pub mod reference {
    use std::hint::black_box;

    /// Adds up the numbers in `list`.
    #[inline(never)]
    pub fn read(list: &[&u64]) -> u64 {
        let mut sum = 0;
        for number in list {
            sum += **number;
            black_box(());
        }
        sum
    }
}

/// Defines functions that read values of type `$once`, which can be set only
/// once.
macro_rules! once {
    ($once:ident) => {
        use std::hint::black_box;

        /// A link in a chain of references: a number, and the next link,
        /// which is set once.
        pub struct Stop {
            /// The number of this link.
            pub number: u64,
            /// The next link of the chain.
            pub next: $once<&'static Stop>,
        }

        /// Follows the chain from `from` for `stops` links, and adds up the
        /// numbers of these links.
        #[inline(never)]
        pub fn follow(from: &'static Stop, stops: usize) -> u64 {
            let (mut at, mut sum) = (from, 0);
            for _ in 0..stops {
                at = at.next.get().expect("it was set");
                sum += at.number;
                black_box(());
            }
            sum
        }

        /// Adds up the numbers in `list`.
        #[inline(never)]
        pub fn read(list: &[&$once<u64>]) -> u64 {
            let mut sum = 0;
            for number in list {
                sum += *number.get().expect("it was set");
                black_box(());
            }
            sum
        }
    };
}

/// Reads a value that is set only once, by the thread that reads it.
pub mod once_cell {
    use std::cell::OnceCell;

    once!(OnceCell);
}

/// Reads a value that is set only once. Any thread may have set it.
pub mod once_lock {
    use std::sync::OnceLock;

    once!(OnceLock);
}
