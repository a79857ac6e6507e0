//! The transaction of an order, with `tokio-postgres` and a pool of
//! connections.

use deadpool_postgres::Object;
use tokio_postgres::Error;

use super::order::{Order, Sold};

pub(crate) const PRODUCT: &str =
    "SELECT name, description, price_cents FROM products WHERE id = $1";

/// The query for a product's row, made slow: it takes 20 ms.
pub(crate) const SLOW_PRODUCT: &str = "SELECT name, description, price_cents \
                            FROM products, pg_sleep(0.02) WHERE id = $1";

pub(crate) const ORDER: &str =
    "INSERT INTO orders (token, product, quantity, email) \
                     VALUES ($1, $2, $3, $4) RETURNING id";

// ANCHOR: one_statement
/// A statement that reads the product's row and also inserts the order's row.
/// It is a transaction in itself.
pub(crate) const SALE: &str = "WITH product AS (
        SELECT id, name, description, price_cents FROM products WHERE id = $2
    ), placed AS (
        INSERT INTO orders (token, product, quantity, email)
        SELECT $1::text, id, $3::int, $4::text FROM product RETURNING id
    ) SELECT placed.id, name, description, price_cents FROM product, placed";
// ANCHOR_END: one_statement

/// Like [`SALE`], but made slow: it takes 20 ms.
pub(crate) const SLOW_SALE: &str = "WITH product AS (
        SELECT id, name, description, price_cents
        FROM products, pg_sleep(0.02) WHERE id = $2
    ), placed AS (
        INSERT INTO orders (token, product, quantity, email)
        SELECT $1::text, id, $3::int, $4::text FROM product RETURNING id
    ) SELECT placed.id, name, description, price_cents FROM product, placed";

// ANCHOR: place
/// Reads the product's row and inserts the order's row, in a transaction.
/// Returns `None` if there is no such product.
///
/// # Errors
///
/// Fails if the connection fails. Then the order was not stored, or it is
/// unknown whether it was.
pub async fn place(
    client: &mut Object,
    order: &Order,
    is_slow: bool,
) -> Result<Option<Sold>, Error> {
    let query = if is_slow { SLOW_PRODUCT } else { PRODUCT };
    let product = client.prepare_cached(query).await?;
    let insert = client.prepare_cached(ORDER).await?;
    let transaction = client.transaction().await?;
    let Some(row) = transaction.query_opt(&product, &[&order.product]).await?
    else {
        return Ok(None);
    };
    let Order { token, product, quantity, customer, .. } = order;
    let inserted = transaction
        .query_one(&insert, &[token, product, quantity, &customer.email])
        .await?;
    transaction.commit().await?;
    Ok(Some(Sold {
        id: inserted.get(0),
        name: row.get(0),
        description: row.get(1),
        price_cents: row.get(2),
    }))
}
// ANCHOR_END: place

/// Reads the product's row and inserts the order's row with a single
/// statement: in one round trip instead of four.
///
/// # Errors
///
/// Fails as [`place`] does.
pub async fn place_at_once(
    client: &Object,
    order: &Order,
    is_slow: bool,
) -> Result<Option<Sold>, Error> {
    let query = if is_slow { SLOW_SALE } else { SALE };
    let sale = client.prepare_cached(query).await?;
    let Order { token, product, quantity, customer, .. } = order;
    let row = client
        .query_opt(&sale, &[token, product, quantity, &customer.email])
        .await?;
    Ok(row.map(|row| Sold {
        id: row.get(0),
        name: row.get(1),
        description: row.get(2),
        price_cents: row.get(3),
    }))
}
