//! A request's body, parsed by serde_json into types of its own, with none of its
//! features but those that it has by default.

use serde::{Deserialize, Serialize};

/// What a visitor orders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Whose it is.
    pub visitor: u64,
    /// Where it goes.
    pub address: String,
    /// Whether it is urgent.
    pub express: bool,
    /// What it holds.
    pub items: Vec<Item>,
}

/// An item of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Of one.
    pub price: f64,
    /// What else there is to say.
    pub note: Option<String>,
}

/// Parses an order.
pub fn parse(body: &[u8]) -> serde_json::Result<Order> {
    serde_json::from_slice(body)
}
