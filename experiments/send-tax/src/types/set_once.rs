//! Values that are set once, and only read afterwards; and a plain reference.

/// Reads through a plain reference.
pub mod reference {
    use std::hint::black_box;

    /// Adds up the numbers of the list.
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

/// Defines the functions that read values of `$once`, a type that is set
/// once.
macro_rules! once {
    ($once:ident) => {
        use std::hint::black_box;

        /// A stop with a number, and a next stop that is set once.
        pub struct Stop {
            /// The number of the stop.
            pub number: u64,
            /// The next stop.
            pub next: $once<&'static Stop>,
        }

        /// Goes from `from` through `stops` further stops, and adds up their
        /// numbers.
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

        /// Adds up the numbers of the list.
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

/// Reads a value set once by the same thread.
pub mod once_cell {
    use std::cell::OnceCell;

    once!(OnceCell);
}

/// Reads a value set once by any thread.
pub mod once_lock {
    use std::sync::OnceLock;

    once!(OnceLock);
}
