//! A shop's order: what comes in, what goes out, and what is refused.

use serde::{Deserialize, Serialize};

/// The body of a request, about 1 KiB of JSON.
#[derive(Debug, Deserialize)]
pub struct Order {
    /// What the client calls this order.
    pub token: String,
    /// The key of what is ordered.
    pub product: i32,
    /// How many of it.
    pub quantity: i32,
    /// Who orders.
    pub customer: Customer,
    /// What else the client has to say.
    pub notes: Vec<Note>,
}

/// Who orders.
#[derive(Debug, Deserialize)]
pub struct Customer {
    /// A name.
    pub name: String,
    /// Where the receipt goes.
    pub email: String,
    /// Where the parcel goes, line by line.
    pub address: Vec<String>,
}

/// A note to a part of the order.
#[derive(Debug, Deserialize)]
pub struct Note {
    /// The part.
    pub part: u32,
    /// The note.
    pub text: String,
    /// Whether it is to be printed.
    pub print: bool,
}

/// What has been sold, from the product's row and the new one of the order.
#[derive(Debug)]
pub struct Sold {
    /// The order's key.
    pub id: i64,
    /// The product's name.
    pub name: String,
    /// Its description, most of the answer.
    pub description: String,
    /// What one of it costs.
    pub price_cents: i32,
}

/// The body of the answer, about 1 KiB of JSON.
#[derive(Debug, Serialize)]
struct Receipt<'a> {
    token: &'a str,
    total_cents: i32,
    name: &'a str,
    description: &'a str,
    email: &'a str,
    id: i64,
}

/// Why an order is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The body is no JSON of an order.
    NotAnOrder,
    /// A field has a value that it may not have.
    NotValid,
    /// There is no such product.
    NoSuchProduct,
    /// The body is longer than any order.
    TooLarge,
    /// The database is gone, or too busy.
    Unavailable,
}

impl Refusal {
    /// The status of the answer.
    pub fn status(self) -> u16 {
        match self {
            Refusal::NotAnOrder => 400,
            Refusal::NoSuchProduct => 404,
            Refusal::TooLarge => 413,
            Refusal::NotValid => 422,
            Refusal::Unavailable => 503,
        }
    }
}

/// Reads an order, and checks it.
///
/// # Errors
///
/// What is wrong with it.
pub fn read(body: &[u8]) -> Result<Order, Refusal> {
    let order: Order =
        serde_json::from_slice(body).map_err(|_| Refusal::NotAnOrder)?;
    let is_valid = order.token.len() == 16
        && order.token.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (1..=100).contains(&order.quantity)
        && !order.customer.name.trim().is_empty()
        && order.customer.email.contains('@')
        && !order.customer.address.is_empty()
        && order.notes.iter().all(|note| note.text.len() <= 500);
    if is_valid {
        Ok(order)
    } else {
        Err(Refusal::NotValid)
    }
}

/// Writes the answer to an order that has been taken.
pub fn receipt(order: &Order, sold: &Sold) -> Vec<u8> {
    let receipt = Receipt {
        token: &order.token,
        total_cents: order.quantity * sold.price_cents,
        name: &sold.name,
        description: &sold.description,
        email: &order.customer.email,
        id: sold.id,
    };
    serde_json::to_vec(&receipt).expect("a receipt has a JSON form")
}
