//! What is set once, and only read since; and a reference without anything.

/// Reads what always was there: a plain reference.
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

/// What is set once, of this type.
macro_rules! once {
    ($once:ident) => {
        use std::hint::black_box;

        /// A number, and a stop that is told once which one is next.
        pub struct Stop {
            /// Its number.
            pub number: u64,
            /// The stop after it.
            pub next: $once<&'static Stop>,
        }

        /// Goes so many stops on, each found out from the one before, and adds up
        /// their numbers.
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

/// Reads what was set once, by the same thread.
pub mod once_cell {
    use std::cell::OnceCell;

    once!(OnceCell);
}

/// Reads what was set once, by whichever thread.
pub mod once_lock {
    use std::sync::OnceLock;

    once!(OnceLock);
}
