//! Checks the answers of a chapter without measuring.

use std::time::Duration;

use harness::{Body, Cell, Chapter, Experiment, Measurement};
use measurement::Source;

pub(crate) fn verify_names_what_is_wrong() {
    let beyond = Cell::readings("c", Source::Harness, &["total time"], || {
        // The reading is infinite, which means that it is missing. On a busy
        // machine, that is not a wrong answer.
        Ok(vec![f64::INFINITY])
    })
    .infinite_means("it is more than all cheese");
    let falls = Cell::fitted("d", Source::Harness, "total time", || {
        Ok(vec![(1.0, 9.0), (2.0, 7.0), (3.0, 5.0)])
    });
    let panics = Cell::readings("e", Source::Harness, &["total time"], || {
        panic!("no cheese");
    });
    let experiment = Experiment::new("sum", "time per operation", "a")
        .cell(Cell::new("a", 1, Body::here(|| || 1)))
        .cell(panics)
        .cell(Cell::new("b", 1, Body::here(|| || 2)))
        .cell(beyond)
        .cell(falls);
    let package = env!("CARGO_MANIFEST_DIR");
    let chapter = Chapter::new("harness", package, vec![experiment]);
    // If the limit on locked memory is low, the panic may be due to an
    // io_uring ring that has been dropped but whose memory is still locked.
    let panicked = match host::how_many::room_for_rings(1) {
        Ok(()) => "sum: e: panicked: no cheese\n",
        Err(_) => "",
    };
    let wrong = "sum: b: the operations returned 2, the right answer is 1";
    assert_eq!(chapter.verify(""), Err(panicked.to_owned() + wrong));
    assert_eq!(chapter.verify("sum: a"), Ok(Vec::new()));
}

/// On a busy machine, a window of time without answers is not a wrong answer.
/// A longer window follows.
pub(crate) fn verify_waits_for_an_answer() {
    let answers_after = |patience: Duration| {
        let cell = Cell::window("e", Duration::from_secs(60), move |elapsed| {
            let answered = u64::from(elapsed >= patience);
            Ok(Measurement { answered, elapsed, ..Measurement::default() })
        });
        let fails =
            Cell::window("f", Duration::from_secs(60), move |elapsed| {
                let errors = u64::from(elapsed < patience);
                Ok(Measurement {
                    answered: 1 - errors,
                    elapsed,
                    errors,
                    ..Measurement::default()
                })
            });
        let experiment = Experiment::new("served", "time per operation", "e")
            .cell(cell)
            .cell(fails);
        Chapter::new("harness", env!("CARGO_MANIFEST_DIR"), vec![experiment])
    };
    let soon = answers_after(Duration::from_secs(2));
    assert_eq!(soon.verify("served: e"), Ok(Vec::new()));
    let failed = soon.verify("served: f").unwrap_err();
    assert!(failed.contains("answered in 100ms, 1 failed"), "{failed}");
    let never = answers_after(Duration::MAX).verify("served: e").unwrap_err();
    assert!(never.contains("0 requests were answered in"), "{never}");
}
