//! A program that allocates: it builds small records and drops them again.

use std::hint::black_box;
use std::thread;

/// A customer's record in the program that allocates.
pub struct Record {
    /// The customer's number.
    pub id: Box<u64>,
    /// The customer's name.
    pub name: String,
    /// The customer's home town.
    pub town: String,
    /// The numbers of the customer's orders.
    pub orders: Vec<u64>,
}

/// Builds `count` records and counts their orders. Each record is dropped
/// before the next one is built.
pub fn build(count: u64) -> u64 {
    let record = |id| Record {
        id: Box::new(id),
        name: String::from("Ada Lovelace"),
        town: String::from("Marylebone"),
        orders: vec![id; 3],
    };
    (0..count).map(|id| black_box(record(id)).orders.len() as u64).sum()
}

/// Builds `count` records, half of them on each of two concurrent threads,
/// and counts their orders.
pub fn build_on_two_threads(count: u64) -> u64 {
    thread::scope(|scope| {
        let other = scope.spawn(|| build(count / 2));
        build(count / 2) + other.join().expect("it does not panic")
    })
}
