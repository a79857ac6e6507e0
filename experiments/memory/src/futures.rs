//! Experiment `futures`: the size of a future that uses 1,024 bytes in
//! different ways.

use std::future::Future;

use harness::{Cell, Experiment};
use measurement::Source;
use runtimes::tokio::CURRENT_THREAD;

use crate::listings::futures::{
    argument, boxed, done_in_a_block, dropped_before, eight_joined, held,
    joined, one_after_the_other, size, three_deep, State, STATE,
};

const QUANTITY: &str = "bytes per future";

/// The contender with which all others are compared.
const HELD: &str = "held";

/// Returns the experiment. Its results don't vary between runs: they depend
/// only on the compiler.
pub(crate) fn experiment() -> Experiment {
    Experiment::new("futures", QUANTITY, HELD)
        .cell(cell(HELD, 1, held))
        .cell(cell("done in a block", 1, done_in_a_block))
        .cell(cell("dropped before", 1, dropped_before))
        .cell(cell("argument", 1, || argument(State::new())))
        .cell(cell("three deep", 1, three_deep))
        .cell(cell("one after the other", 2, one_after_the_other))
        .cell(cell("joined", 2, joined))
        .cell(cell("eight joined", 8, eight_joined))
        .cell(cell("boxed", 1, boxed))
}

/// Returns a benchmark of the size of a future. Also runs the future, which
/// returns the sum of `states` states.
fn cell<F>(
    contender: &str,
    states: u64,
    future: impl Fn() -> F + Copy + Send + 'static,
) -> Cell
where
    F: Future<Output = u64> + Send + 'static,
{
    let take = move || {
        CURRENT_THREAD.start()?;
        let (told, sum) = std::sync::mpsc::channel();
        CURRENT_THREAD.run(Box::pin(async move {
            told.send(future().await).ok();
        }));
        let sum = sum.recv().map_err(|error| error.to_string())?;
        let expected = states * STATE as u64;
        if sum != expected {
            return Err(format!("it returned {sum}, not {expected}"));
        }
        Ok(vec![size(&future()) as f64])
    };
    Cell::readings(contender, Source::Harness, &[QUANTITY], take)
}
