//! Clones an `Arc` and drops the clone, as among the types; but nothing else is on
//! the cache lines of its counts, wherever the allocator puts it.

use std::hint::black_box;
use std::sync::Arc;

use crate::listings::contended::layout::Padded;

/// A one that is counted apart. What it points to begins where a pair of cache
/// lines does, and so does all that the `Arc` allocates: first the counts, and on
/// the next pair the number, which nobody writes to.
pub fn apart() -> Arc<Padded<u64>> {
    Arc::new(Padded(1))
}

/// Clones each of the list, and adds up what the clones point to.
#[inline(never)]
pub fn clone_and_drop(list: &[Arc<Padded<u64>>]) -> u64 {
    let mut sum = 0;
    for arc in list {
        let clone = Arc::clone(arc);
        black_box(()); // Here it has to be counted.
        sum += clone.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_cache_lines_to_itself() {
        // So that the allocator has holes to fill.
        let small: Vec<_> = (0..100).map(Box::new).collect();
        let mut arcs: Vec<_> = (0..100).map(|_| apart()).collect();
        drop(small);
        arcs.extend((0..100).map(|_| apart()));
        let mut at: Vec<_> =
            arcs.iter().map(|arc| Arc::as_ptr(arc).addr()).collect();
        at.sort_unstable();
        assert!(at.iter().all(|at| at.is_multiple_of(128)));
        // Two pairs of lines each: the counts, and the number.
        assert!(at.windows(2).all(|two| two[1] - two[0] >= 256));
    }
}
