//! A small PostgreSQL client that blocks its thread. It uses
//! `postgres-protocol` to encode and decode messages, and sends them over a
//! Unix socket.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;
use postgres_protocol::types;
use postgres_protocol::IsNull;

use super::order::{Order, Sold};
use super::transaction;

/// A connection to the database server, with the statements of an order
/// prepared.
pub struct BlockingClient {
    stream: UnixStream,
    /// The bytes that will be sent next.
    out: BytesMut,
    /// The received bytes that have not been decoded yet.
    received: BytesMut,
}

/// The values for a statement's parameters, each as a function that writes
/// the value in binary format.
type Values<'a> = &'a [&'a dyn Fn(&mut BytesMut)];

impl BlockingClient {
    /// Connects as `user` to the database `postgres` of the server whose
    /// sockets are in `directory`.
    ///
    /// # Errors
    ///
    /// If there is no server, or the server refuses.
    pub fn connect(directory: &Path, user: &str) -> io::Result<BlockingClient> {
        let stream = UnixStream::connect(directory.join(".s.PGSQL.5432"))?;
        let (out, received) =
            (BytesMut::new(), BytesMut::with_capacity(16 * 1024));
        let mut client = BlockingClient { stream, out, received };
        let who = [("user", user), ("database", "postgres")];
        frontend::startup_message(who, &mut client.out)?;
        client.send()?;
        client.rows()?;
        Ok(client)
    }

    /// Prepares the statements that [`BlockingClient::place`] executes.
    ///
    /// # Errors
    ///
    /// If the connection breaks, or the tables are missing.
    pub fn prepare(&mut self) -> io::Result<()> {
        for (name, query) in [
            (
                "product",
                "SELECT name, description, price_cents FROM products \
                 WHERE id = $1",
            ),
            (
                "slow_product",
                "SELECT name, description, price_cents \
                 FROM products, pg_sleep(0.02) WHERE id = $1",
            ),
            (
                "order",
                "INSERT INTO orders (token, product, quantity, email) \
                 VALUES ($1, $2, $3, $4) RETURNING id",
            ),
            ("sale", transaction::SALE),
            ("slow_sale", transaction::SLOW_SALE),
        ] {
            frontend::parse(name, query, [], &mut self.out)?;
        }
        frontend::sync(&mut self.out);
        self.send()?;
        self.rows().map(drop)
    }

    /// Places an order in a transaction: reads the product's row and inserts
    /// the order's row. Returns `None` if there is no such product.
    ///
    /// # Errors
    ///
    /// If the connection breaks, or the server refuses. Then nothing was
    /// inserted, or it isn't known, and this client can't be used any more.
    pub fn place(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> io::Result<Option<Sold>> {
        let Order { token, product, quantity, customer, .. } = order;
        let product = |out: &mut BytesMut| types::int4_to_sql(*product, out);
        let query = if is_slow { "slow_product" } else { "product" };
        self.query("BEGIN")?;
        let rows = self.execute(query, &[&product])?;
        let Some(row) = rows.first() else {
            self.query("ROLLBACK")?;
            return Ok(None);
        };
        let token = |out: &mut BytesMut| types::text_to_sql(token, out);
        let quantity = |out: &mut BytesMut| types::int4_to_sql(*quantity, out);
        let email =
            |out: &mut BytesMut| types::text_to_sql(&customer.email, out);
        let inserted =
            self.execute("order", &[&token, &product, &quantity, &email])?;
        self.query("COMMIT")?;
        let inserted = inserted.first().ok_or(io::ErrorKind::InvalidData)?;
        sold(fields(inserted)?, fields(row)?).map(Some)
    }

    /// Places an order in two round trips: sends the beginning, the query and
    /// the insert together, and then commits. If there is no such product,
    /// rolls back instead.
    ///
    /// # Errors
    ///
    /// The errors of [`BlockingClient::place`].
    pub fn place_in_two(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> io::Result<Option<Sold>> {
        let Order { token, product, quantity, customer, .. } = order;
        let product = |out: &mut BytesMut| types::int4_to_sql(*product, out);
        let token = |out: &mut BytesMut| types::text_to_sql(token, out);
        let quantity = |out: &mut BytesMut| types::int4_to_sql(*quantity, out);
        let email =
            |out: &mut BytesMut| types::text_to_sql(&customer.email, out);
        let query = if is_slow { "slow_product" } else { "product" };
        frontend::query("BEGIN", &mut self.out)?;
        self.put(query, &[&product])?;
        self.put("order", &[&token, &product, &quantity, &email])?;
        self.send()?;
        self.rows()?;
        let (rows, inserted) = (self.rows()?, self.rows()?);
        let Some(row) = rows.first() else {
            self.query("ROLLBACK")?;
            return Ok(None);
        };
        self.query("COMMIT")?;
        let inserted = inserted.first().ok_or(io::ErrorKind::InvalidData)?;
        sold(fields(inserted)?, fields(row)?).map(Some)
    }

    /// Places an order with a single statement, in one round trip.
    ///
    /// # Errors
    ///
    /// The errors of [`BlockingClient::place`].
    pub fn place_at_once(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> io::Result<Option<Sold>> {
        let Order { token, product, quantity, customer, .. } = order;
        let product = |out: &mut BytesMut| types::int4_to_sql(*product, out);
        let token = |out: &mut BytesMut| types::text_to_sql(token, out);
        let quantity = |out: &mut BytesMut| types::int4_to_sql(*quantity, out);
        let email =
            |out: &mut BytesMut| types::text_to_sql(&customer.email, out);
        let query = if is_slow { "slow_sale" } else { "sale" };
        let rows =
            self.execute(query, &[&token, &product, &quantity, &email])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let [id, name, description, price_cents] = fields(row)?;
        sold([id], [name, description, price_cents]).map(Some)
    }

    /// Runs a query that is given as a string. Returns the rows of the
    /// result, if there are any.
    ///
    /// # Errors
    ///
    /// If the connection breaks, or the server refuses.
    pub fn query(&mut self, query: &str) -> io::Result<Vec<DataRowBody>> {
        frontend::query(query, &mut self.out)?;
        self.send()?;
        self.rows()
    }

    /// Executes a prepared statement with these values. Returns the rows of
    /// the result.
    fn execute(
        &mut self,
        statement: &str,
        values: Values<'_>,
    ) -> io::Result<Vec<DataRowBody>> {
        self.put(statement, values)?;
        self.send()?;
        self.rows()
    }

    /// Appends the messages that execute a prepared statement to `out`.
    fn put(&mut self, statement: &str, values: Values<'_>) -> io::Result<()> {
        let write = |value: &&dyn Fn(&mut BytesMut), out: &mut BytesMut| {
            value(out);
            Ok(IsNull::No)
        };
        let (binary, out) = (Some(1), &mut self.out);
        frontend::bind("", statement, binary, values, write, binary, out)
            .map_err(|_| io::ErrorKind::InvalidInput)?;
        frontend::execute("", 0, out)?;
        frontend::sync(out);
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// Reads messages until the server is ready for the next query. Returns
    /// the rows received.
    fn rows(&mut self) -> io::Result<Vec<DataRowBody>> {
        let mut rows = Vec::new();
        let mut refused = None;
        loop {
            match self.message()? {
                Message::DataRow(row) => rows.push(row),
                Message::ErrorResponse(error) => {
                    let message = error
                        .fields()
                        .find(|field| Ok(field.type_() == b'M'))?;
                    let message = message.map(|field| {
                        String::from_utf8_lossy(field.value_bytes())
                            .into_owned()
                    });
                    refused = Some(message.unwrap_or_default());
                }
                Message::ReadyForQuery(_) => {
                    return refused
                        .map_or(Ok(rows), |text| Err(io::Error::other(text)))
                }
                // Other messages only report progress or the server's status.
                _ => {}
            }
        }
    }

    fn message(&mut self) -> io::Result<Message> {
        loop {
            if let Some(message) = Message::parse(&mut self.received)? {
                return Ok(message);
            }
            let mut bytes = [0; 16 * 1024];
            match self.stream.read(&mut bytes)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => self.received.extend_from_slice(&bytes[..read]),
            }
        }
    }
}

/// Returns the sale, decoded from the key of the order's row and the fields
/// of the product's row.
fn sold([id]: [&[u8]; 1], product: [&[u8]; 3]) -> io::Result<Sold> {
    let [name, description, price_cents] = product;
    Ok(Sold {
        id: types::int8_from_sql(id).map_err(io::Error::other)?,
        name: text(name)?,
        description: text(description)?,
        price_cents: types::int4_from_sql(price_cents)
            .map_err(io::Error::other)?,
    })
}

/// Returns the fields of a row, none of which may be null.
fn fields<const COUNT: usize>(row: &DataRowBody) -> io::Result<[&[u8]; COUNT]> {
    let mut fields = [&[][..]; COUNT];
    let mut ranges = row.ranges();
    for field in &mut fields {
        let range =
            ranges.next()?.flatten().ok_or(io::ErrorKind::InvalidData)?;
        *field = &row.buffer()[range];
    }
    Ok(fields)
}

fn text(field: &[u8]) -> io::Result<String> {
    let text = types::text_from_sql(field).map_err(io::Error::other)?;
    Ok(text.to_owned())
}
