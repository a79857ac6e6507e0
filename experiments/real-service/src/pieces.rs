//! Experiment `pieces`: times single pieces of the work on an order in
//! memory. The pieces are parsing HTTP, parsing JSON and writing JSON.

use std::hint::black_box;

use harness::{Body, Cell, Experiment, Placement};

use crate::exchange::{self, Incoming};
use crate::listings::order;
use crate::load::Request;
use crate::path::{made_up, Path};

/// How many times a piece of work is repeated per measured operation.
const TIMES: u64 = 100;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("pieces", "time per operation", "httparse").cells([
        cell("httparse", || {
            let request = request();
            let is_whole = matches!(
                exchange::parse(black_box(&request)),
                Incoming::Request { path: Some(Path::Orders), .. }
            );
            move || {
                let parsed = exchange::parse(black_box(&request));
                u64::from(is_whole && parsed != Incoming::Part)
            }
        }),
        cell("serde_json parse", || {
            let body = body();
            move || {
                let read = order::read(black_box(&body));
                u64::from(read.is_ok_and(|order| order.notes.len() == 6))
            }
        }),
        cell("serde_json write", || {
            let order = order::read(&body()).expect("it is an order");
            let sold = made_up(&order);
            move || {
                let receipt = order::receipt(black_box(&order), &sold);
                u64::from(receipt.len() > 900)
            }
        }),
    ])
}

/// Returns a benchmark that repeats a piece of work, which has to return 1
/// each time.
fn cell<Operation>(
    contender: &str,
    start: impl Fn() -> Operation + Send + Sync + 'static,
) -> Cell
where
    Operation: FnMut() -> u64 + 'static,
{
    let body = Body::here(move || {
        let mut operation = start();
        move || (0..TIMES).map(|_| operation()).sum::<u64>()
    });
    Cell::new(contender, TIMES, body).per(TIMES).placement(Placement::OneCore)
}

fn request() -> Vec<u8> {
    Request::new(Path::Orders, 0).another().to_vec()
}

fn body() -> Vec<u8> {
    match exchange::parse(&request()) {
        Incoming::Request { body, .. } => body.to_vec(),
        other => panic!("{other:?}"),
    }
}
