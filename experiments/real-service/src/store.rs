//! Stores orders in memory or in the database.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod, Runtime};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio_postgres::NoTls;

use crate::database::USER;
use crate::listings::blocking_client::BlockingClient;
use crate::listings::order::{Order, Refusal, Sold};
use crate::listings::transaction;
use crate::pool::{Client, Pool};

/// The place where a server stores orders.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Keep {
    /// The orders are stored in the server's memory.
    InMemory,
    /// The orders are stored in a PostgreSQL database.
    InDatabase {
        /// The directory that contains the database's sockets.
        directory: PathBuf,
        /// The maximum number of connections from the server to the database.
        pool: usize,
        /// The maximum time that a request waits for one of these
        /// connections.
        patience: Duration,
    },
}

/// The database client that a server uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskedBy {
    /// `tokio-postgres`, with the pool of `deadpool-postgres`.
    TokioPostgres,
    /// Our blocking client, which makes four round trips per order.
    Ours,
    /// Our blocking client, in two round trips per order: statements that
    /// don't depend on an answer are sent together.
    OursPipelined,
    /// Our blocking client, which places an order with a single SQL
    /// statement.
    OursAtOnce,
    /// The crate `postgres`, which also blocks: it runs `tokio-postgres` on
    /// its own runtime.
    Postgres,
}

impl AskedBy {
    /// Returns the client's name, which is the value of the parameter
    /// `client`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            AskedBy::TokioPostgres => "tokio-postgres",
            AskedBy::Ours | AskedBy::OursPipelined | AskedBy::OursAtOnce => {
                "ours"
            }
            AskedBy::Postgres => "postgres",
        }
    }
}

/// A store in memory, with all products and orders.
pub(crate) struct Map {
    products: HashMap<i32, (String, i32)>,
    description: String,
    /// The orders, keyed by the name that the client chose. Each value holds
    /// the order's key, the product, the quantity, and the client's address
    /// for the receipt.
    orders: Mutex<HashMap<String, (i64, i32, i32, String)>>,
}

impl Map {
    pub(crate) fn new() -> Map {
        let product = |id| (id, (format!("product {id}"), 2 * id + 1));
        Map {
            products: (1000..2000).map(product).collect(),
            description: "It is good. ".repeat(70),
            orders: Mutex::default(),
        }
    }

    pub(crate) fn orders(&self) -> usize {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn place(&self, order: &Order) -> Result<Sold, Refusal> {
        let product = self.products.get(&order.product);
        let (name, price_cents) = product.ok_or(Refusal::NoSuchProduct)?;
        let (token, email) =
            (order.token.clone(), order.customer.email.clone());
        let mut orders =
            self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let id = orders.len() as i64 + 1;
        orders.insert(token, (id, order.product, order.quantity, email));
        drop(orders);
        Ok(Sold {
            id,
            name: name.clone(),
            description: self.description.clone(),
            price_cents: *price_cents,
        })
    }
}

impl Client for BlockingClient {
    fn place(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, String> {
        self.place(order, is_slow).map_err(|error| error.to_string())
    }
}

/// Our blocking client, which places an order with one statement or with two
/// groups of statements.
struct Quicker {
    client: BlockingClient,
    is_one_statement: bool,
}

impl Client for Quicker {
    fn place(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, String> {
        let placed = if self.is_one_statement {
            self.client.place_at_once(order, is_slow)
        } else {
            self.client.place_in_two(order, is_slow)
        };
        placed.map_err(|error| error.to_string())
    }
}

/// A client of the crate `postgres`, with the prepared statements.
struct OfPostgres {
    client: postgres::Client,
    statements: [postgres::Statement; 3],
}

impl OfPostgres {
    fn connect(directory: &Path) -> Result<OfPostgres, postgres::Error> {
        let mut config = postgres::Config::new();
        config.host_path(directory).user(USER).dbname("postgres");
        let mut client = config.connect(NoTls)?;
        let statements = [
            client.prepare(transaction::PRODUCT)?,
            client.prepare(transaction::SLOW_PRODUCT)?,
            client.prepare(transaction::ORDER)?,
        ];
        Ok(OfPostgres { client, statements })
    }

    fn sell(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, postgres::Error> {
        let [product, slow_product, insert] = &self.statements;
        let query = if is_slow { slow_product } else { product };
        let mut transaction = self.client.transaction()?;
        let Some(row) = transaction.query_opt(query, &[&order.product])? else {
            return Ok(None);
        };
        let Order { token, product, quantity, customer, .. } = order;
        let inserted = transaction
            .query_one(insert, &[token, product, quantity, &customer.email])?;
        transaction.commit()?;
        Ok(Some(Sold {
            id: inserted.get(0),
            name: row.get(0),
            description: row.get(1),
            price_cents: row.get(2),
        }))
    }
}

impl Client for OfPostgres {
    fn place(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, String> {
        self.sell(order, is_slow).map_err(|error| error.to_string())
    }
}

/// A store of orders, for code that may block.
#[derive(Clone)]
pub(crate) enum Blocking {
    Map(Arc<Map>),
    Pool(Arc<Pool>),
}

impl Blocking {
    /// Creates the store described by `keep`. For a database, `by` selects
    /// our client or that of the crate `postgres`.
    pub(crate) fn new(keep: &Keep, by: AskedBy, map: &Arc<Map>) -> Blocking {
        let Keep::InDatabase { directory, pool, patience } = keep else {
            return Blocking::Map(Arc::clone(map));
        };
        let directory = directory.clone();
        let connect = move || -> Result<Box<dyn Client>, String> {
            if by == AskedBy::Postgres {
                let client = OfPostgres::connect(&directory);
                return Ok(Box::new(
                    client.map_err(|error| error.to_string())?,
                ));
            }
            let connected = BlockingClient::connect(&directory, USER);
            let prepared = connected.and_then(|mut client| {
                client.prepare()?;
                Ok(client)
            });
            let client = prepared.map_err(|error| error.to_string())?;
            let is_one_statement = by == AskedBy::OursAtOnce;
            Ok(if is_one_statement || by == AskedBy::OursPipelined {
                Box::new(Quicker { client, is_one_statement })
            } else {
                Box::new(client)
            })
        };
        Blocking::Pool(Arc::new(Pool::new(*pool, *patience, Box::new(connect))))
    }

    pub(crate) fn place(
        &self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Sold, Refusal> {
        match self {
            Blocking::Map(map) => map.place(order),
            Blocking::Pool(pool) => match pool.place(order, is_slow) {
                Ok(sold) => sold.ok_or(Refusal::NoSuchProduct),
                Err(_) => Err(Refusal::Unavailable),
            },
        }
    }
}

/// A store of orders for asynchronous code.
#[derive(Clone)]
pub(crate) enum FromTask {
    /// Awaits the answers of the database.
    Awaiting(deadpool_postgres::Pool),
    /// Awaits the answer of the database to a single statement for the whole
    /// order.
    AwaitingOnce(deadpool_postgres::Pool),
    /// Blocks the task's worker until the database answers: a common mistake.
    InTask(Blocking),
    /// Blocks a thread of Tokio's blocking pool until the database answers.
    Offloaded(Blocking),
}

pub(crate) fn pool(
    directory: &Path,
    size: usize,
    patience: Duration,
) -> Result<deadpool_postgres::Pool, String> {
    let mut config = tokio_postgres::Config::new();
    config.host_path(directory).user(USER).dbname("postgres");
    let recycled = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, NoTls, recycled);
    let pool = deadpool_postgres::Pool::builder(manager)
        .max_size(size)
        .wait_timeout(Some(patience))
        .create_timeout(Some(patience))
        .runtime(Runtime::Tokio1)
        .build();
    pool.map_err(|error| error.to_string())
}

impl FromTask {
    /// Stores an order, and returns the order together with the sale.
    pub(crate) async fn place(
        &self,
        order: Order,
        is_slow: bool,
    ) -> Result<(Order, Sold), Refusal> {
        match self {
            FromTask::Awaiting(pool) => {
                let client = pool.get().await;
                let mut client = client.map_err(|_| Refusal::Unavailable)?;
                let placed =
                    transaction::place(&mut client, &order, is_slow).await;
                let sold = placed.map_err(|_| Refusal::Unavailable)?;
                Ok((order, sold.ok_or(Refusal::NoSuchProduct)?))
            }
            FromTask::AwaitingOnce(pool) => {
                let client = pool.get().await;
                let client = client.map_err(|_| Refusal::Unavailable)?;
                let placed =
                    transaction::place_at_once(&client, &order, is_slow).await;
                let sold = placed.map_err(|_| Refusal::Unavailable)?;
                Ok((order, sold.ok_or(Refusal::NoSuchProduct)?))
            }
            FromTask::InTask(blocking) => {
                let sold = blocking.place(&order, is_slow)?;
                Ok((order, sold))
            }
            FromTask::Offloaded(blocking) => {
                let blocking = blocking.clone();
                let placed = spawn_blocking(move || {
                    let sold = blocking.place(&order, is_slow)?;
                    Ok((order, sold))
                });
                placed.await.unwrap_or(Err(Refusal::Unavailable))
            }
        }
    }
}
