//! The chapter's exercises. Pick one, change its function in the module
//! `yours`, then run:
//!
//! ```sh
//! cargo test -p real-service --test exercises -- --ignored slow_callers
//! ```
//!
//! The tests check the answers, and that the rule of the exercise is kept.
//! They imitate the database, so PostgreSQL isn't needed. The module `worked`
//! has a solution for each.

use std::collections::HashMap;
use std::future::Future;
use std::mem::take;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Your solution.
mod yours {
    use super::*;

    // ANCHOR: slow_callers
    /// Handles an order. `shop.place` blocks its thread until the database
    /// has answered, and needs one of the shop's connections. Two callers may
    /// be arbitrarily slow, but the orders of others must not wait for them.
    pub(super) async fn handle(shop: Arc<Shop>, order: u64) -> u64 {
        shop.place(order)
    }
    // ANCHOR_END: slow_callers

    // ANCHOR: two_round_trips
    /// Sells a product: returns its price and the order's key. If there is no
    /// such product, returns `None` and stores nothing. Use two round trips.
    pub(super) fn sell(
        database: &mut Connection,
        product: u64,
    ) -> Option<(u64, u64)> {
        database.send(Statement::Begin);
        database.wait();
        database.send(Statement::Price(product));
        let Some(price) = database.wait()[0] else {
            database.send(Statement::Rollback);
            database.wait();
            return None;
        };
        database.send(Statement::Insert(product));
        let key = database.wait()[0]?;
        database.send(Statement::Commit);
        database.wait();
        Some((price, key))
    }
    // ANCHOR_END: two_round_trips
}

/// Our solutions.
mod worked {
    use super::*;

    // ANCHOR: slow_callers_worked
    pub(super) async fn handle(shop: Arc<Shop>, order: u64) -> u64 {
        let permit = Arc::clone(&shop.permits).acquire_owned().await;
        let placed = tokio::task::spawn_blocking(move || {
            let placed = shop.place(order);
            // The permit is dropped only after the call, because the call
            // uses its connection even if its task has been cancelled.
            drop(permit);
            placed
        });
        placed.await.expect("the call does not panic")
    }
    // ANCHOR_END: slow_callers_worked

    // ANCHOR: two_round_trips_worked
    pub(super) fn sell(
        database: &mut Connection,
        product: u64,
    ) -> Option<(u64, u64)> {
        database.send(Statement::Begin);
        database.send(Statement::Price(product));
        database.send(Statement::Insert(product));
        let answers = database.wait();
        let sold = answers[1].zip(answers[2]);
        database.send(match sold {
            Some(_) => Statement::Commit,
            None => Statement::Rollback,
        });
        database.wait();
        sold
    }
    // ANCHOR_END: two_round_trips_worked
}

/// The number of the shop's connections to the database.
const CONNECTIONS: usize = 4;

/// The number of slow callers, which is also the number of workers.
const SLOW: u64 = 2;

/// A shop whose database client blocks its thread.
struct Shop {
    /// A semaphore with one permit per connection to the database.
    permits: Arc<Semaphore>,
    calls: Mutex<Calls>,
    changed: Condvar,
}

#[derive(Default)]
struct Calls {
    now: usize,
    most: usize,
    are_slow_released: bool,
}

impl Shop {
    fn new() -> Shop {
        let permits = Arc::new(Semaphore::new(CONNECTIONS));
        Shop { permits, calls: Mutex::default(), changed: Condvar::new() }
    }

    /// Returns the answer to an order: twice the order's number. For an order
    /// below [`SLOW`], waits until the test releases it.
    fn place(&self, order: u64) -> u64 {
        let mut calls = self.calls.lock().unwrap();
        calls.now += 1;
        calls.most = calls.most.max(calls.now);
        self.changed.notify_all();
        if order < SLOW {
            let are_held = |calls: &mut Calls| !calls.are_slow_released;
            calls = self.changed.wait_while(calls, are_held).unwrap();
        } else {
            drop(calls);
            thread::sleep(Duration::from_millis(1));
            calls = self.calls.lock().unwrap();
        }
        calls.now -= 1;
        2 * order
    }

    fn wait_for(&self, count: usize) {
        let calls = self.calls.lock().unwrap();
        let patience = Duration::from_secs(10);
        let are_fewer = |calls: &mut Calls| calls.now < count;
        let waited =
            self.changed.wait_timeout_while(calls, patience, are_fewer);
        assert!(!waited.unwrap().1.timed_out(), "the slow ones never began");
    }

    fn release_the_slow(&self) {
        self.calls.lock().unwrap().are_slow_released = true;
        self.changed.notify_all();
    }
}

/// Returns the next `count` answers, sorted, or fewer if they don't arrive in
/// time.
fn answers(answered: &Receiver<u64>, count: u64) -> Vec<u64> {
    let next = |_| answered.recv_timeout(Duration::from_secs(5)).ok();
    let mut all: Vec<u64> = (0..count).map_while(next).collect();
    all.sort_unstable();
    all
}

fn check_slow_callers<Handling>(handle: fn(Arc<Shop>, u64) -> Handling)
where
    Handling: Future<Output = u64> + Send + 'static,
{
    const OTHERS: u64 = 100;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(SLOW as usize).build().unwrap();
    let shop = Arc::new(Shop::new());
    let (answer, answered) = mpsc::channel();
    let ask = |order| {
        let (answer, shop) = (answer.clone(), Arc::clone(&shop));
        runtime.spawn(async move {
            // An error means that the test has already given up.
            let _ = answer.send(handle(shop, order).await);
        });
    };
    (0..SLOW).for_each(ask);
    shop.wait_for(SLOW as usize);
    (SLOW..SLOW + OTHERS).for_each(ask);
    let others = answers(&answered, OTHERS);
    shop.release_the_slow();
    let (count, expected) = (others.len(), SLOW..SLOW + OTHERS);
    assert!(
        others.into_iter().eq(expected.map(|order| 2 * order)),
        "{count} of {OTHERS} others were answered while two were slow"
    );
    assert_eq!(answers(&answered, SLOW), [0, 2], "those of the slow ones");
    let most = shop.calls.lock().unwrap().most;
    assert!(most <= CONNECTIONS, "{most} calls at once, {CONNECTIONS} at most");
}

enum Statement {
    Begin,
    /// Queries a product's price. The result is `None` if there is no such
    /// product.
    Price(u64),
    /// Inserts an order for a product. The result is the key of the order's
    /// row.
    Insert(u64),
    Commit,
    Rollback,
}

/// A connection to an imitated database. It counts round trips.
struct Connection {
    sent: Vec<Statement>,
    round_trips: usize,
    prices: HashMap<u64, u64>,
    orders: Vec<u64>,
    /// The number of orders when the transaction began; `None` outside a
    /// transaction.
    begun: Option<usize>,
}

impl Connection {
    fn new() -> Connection {
        Connection {
            sent: Vec::new(),
            round_trips: 0,
            prices: HashMap::from([(7, 70), (8, 80)]),
            orders: Vec::new(),
            begun: None,
        }
    }

    /// Sends a statement without waiting for the answer.
    fn send(&mut self, statement: Statement) {
        self.sent.push(statement);
    }

    /// Waits for the answers to all statements sent so far, and returns them
    /// in the order of the statements.
    fn wait(&mut self) -> Vec<Option<u64>> {
        self.round_trips += 1;
        let sent = take(&mut self.sent);
        sent.into_iter().map(|statement| self.answer(statement)).collect()
    }

    fn answer(&mut self, statement: Statement) -> Option<u64> {
        let within = "within a transaction";
        match statement {
            Statement::Begin => {
                assert_eq!(self.begun.replace(self.orders.len()), None);
                None
            }
            Statement::Price(product) => self.prices.get(&product).copied(),
            Statement::Insert(product) => {
                self.begun.expect(within);
                self.orders.push(product);
                Some(self.orders.len() as u64)
            }
            Statement::Commit => {
                self.begun.take().expect(within);
                None
            }
            Statement::Rollback => {
                let before = self.begun.take().expect(within);
                self.orders.truncate(before);
                None
            }
        }
    }
}

fn check_two_round_trips(sell: fn(&mut Connection, u64) -> Option<(u64, u64)>) {
    let mut database = Connection::new();
    for (product, expected, kept) in [
        (7, Some((70, 1)), &[7][..]),
        (9, None, &[7]),
        (8, Some((80, 2)), &[7, 8]),
    ] {
        assert_eq!(sell(&mut database, product), expected, "{product}");
        assert_eq!(database.begun, None, "the transaction has not ended");
        assert!(database.sent.is_empty(), "the end was not waited for");
        assert_eq!(database.orders, kept, "the orders that are kept");
        let round_trips = take(&mut database.round_trips);
        assert!(round_trips <= 2, "{round_trips} round trips");
    }
}

#[test]
#[ignore = "an exercise"]
fn slow_callers() {
    check_slow_callers(yours::handle);
}

#[test]
#[ignore = "an exercise"]
fn two_round_trips() {
    check_two_round_trips(yours::sell);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_slow_callers(worked::handle);
    check_two_round_trips(worked::sell);
}

#[test]
#[should_panic = "calls at once"]
fn a_thread_for_each_call_needs_more_connections_than_there_are() {
    check_slow_callers(|shop, order| async move {
        let placed = tokio::task::spawn_blocking(move || shop.place(order));
        placed.await.unwrap()
    });
}

#[test]
#[should_panic = "the orders that are kept"]
fn what_has_no_product_is_rolled_back() {
    check_two_round_trips(|database, product| {
        database.send(Statement::Begin);
        database.send(Statement::Price(product));
        database.send(Statement::Insert(product));
        database.send(Statement::Commit);
        let answers = database.wait();
        answers[1].zip(answers[2])
    });
}
