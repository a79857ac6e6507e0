//! Every contender gives the right answer.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;

#[test]
fn every_contender_returns_the_same_answer() {
    for skipped in contention::chapter().verify().unwrap() {
        println!("cannot run here: {skipped}");
    }
}

#[test]
fn counters_lie_where_their_layout_says() {
    use contention::listings::locks::layout;
    const THREADS: usize = 4;
    let lines = |counters: Vec<&AtomicU64>| {
        let address =
            |counter: &&AtomicU64| std::ptr::from_ref(*counter).addr();
        assert_eq!(counters.len(), THREADS);
        let lines: BTreeSet<_> =
            counters.iter().map(|c| address(c) / 64).collect();
        let apart: BTreeSet<_> = counters.iter().map(address).collect();
        (apart.len(), lines.len())
    };
    assert_eq!(lines(layout::shared(THREADS)), (1, 1));
    assert_eq!(lines(layout::adjacent(THREADS)), (THREADS, 1));
    assert_eq!(lines(layout::padded(THREADS)), (THREADS, THREADS));
}
