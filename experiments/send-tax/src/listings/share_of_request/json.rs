//! The JSON body of a request, parsed into structs by serde_json with its
//! default features.

use serde::{Deserialize, Serialize};

/// An order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The number that identifies the visitor.
    pub visitor: u64,
    /// The delivery address.
    pub address: String,
    /// True if the order is urgent.
    pub express: bool,
    /// The ordered items.
    pub items: Vec<Item>,
}

/// One item of the order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The name of the item.
    pub name: String,
    /// The number of pieces ordered.
    pub count: u64,
    /// The price of one piece.
    pub price: f64,
    /// A note that the visitor wrote about this item, if any.
    pub note: Option<String>,
}

/// Parses an order.
pub fn parse(body: &[u8]) -> serde_json::Result<Order> {
    serde_json::from_slice(body)
}
