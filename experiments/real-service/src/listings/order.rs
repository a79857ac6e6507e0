//! A shop's order: the request, the answer, and the reasons why an order may
//! be refused.

use serde::{Deserialize, Serialize};

/// An order, as in the body of a request: about 1 KiB of JSON.
#[derive(Debug, Deserialize)]
pub struct Order {
    /// A name for this order, chosen by the client.
    pub token: String,
    /// The key of the product.
    pub product: i32,
    /// The number of pieces that the customer orders.
    pub quantity: i32,
    /// The customer who orders.
    pub customer: Customer,
    /// Notes from the client.
    pub notes: Vec<Note>,
}

/// A customer of the shop.
#[derive(Debug, Deserialize)]
pub struct Customer {
    /// The customer's name.
    pub name: String,
    /// The e-mail address for the receipt.
    pub email: String,
    /// The address for the parcel, line by line.
    pub address: Vec<String>,
}

/// A note from the client on one part of the order.
#[derive(Debug, Deserialize)]
pub struct Note {
    /// The number of the part that the note is about.
    pub part: u32,
    /// The note.
    pub text: String,
    /// True if the note should be printed.
    pub print: bool,
}

/// A sale: the product's fields and the key of the new order, as stored.
#[derive(Debug)]
pub struct Sold {
    /// The key of the order's row in the database.
    pub id: i64,
    /// The product's name.
    pub name: String,
    /// The product's description, which makes up most of the answer.
    pub description: String,
    /// The price of one piece, in cents.
    pub price_cents: i32,
}

/// A receipt, as in the body of the answer: about 1 KiB of JSON.
#[derive(Debug, Serialize)]
struct Receipt<'a> {
    token: &'a str,
    total_cents: i32,
    name: &'a str,
    description: &'a str,
    email: &'a str,
    id: i64,
}

/// The reason why the shop refuses an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The body isn't the JSON of an order.
    NotAnOrder,
    /// A field has an invalid value.
    NotValid,
    /// The shop has no such product.
    NoSuchProduct,
    /// The body is longer than any order.
    TooLarge,
    /// The database can't be reached, or is too busy.
    Unavailable,
}

impl Refusal {
    /// Returns the HTTP status for this reason.
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

/// Parses an order from the body of a request, and checks the values of its
/// fields.
///
/// # Errors
///
/// If the order is invalid, with the reason.
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

/// Returns the body of the answer to an accepted order: the receipt, in JSON.
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
