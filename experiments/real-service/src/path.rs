//! What is asked of a server, by the path of the request.

use serde::{Deserialize, Serialize};

use crate::listings::order::{self, Order, Refusal, Sold};

/// The longest body that is read.
pub const LONGEST_BODY: usize = 16 * 1024;

/// How much of an order's work a request asks for: a path of each server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Path {
    /// None of it: the answer is always the same, and the body is not looked at.
    Fixed,
    /// The order is read and checked, and a receipt is written of a sale that is made up.
    Json,
    /// The order is taken.
    Orders,
    /// The same, by a query that takes 20 ms.
    SlowOrders,
}

impl Path {
    /// All of them.
    pub(crate) const ALL: [Path; 4] =
        [Path::Fixed, Path::Json, Path::Orders, Path::SlowOrders];

    /// The path as it is requested.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Path::Fixed => "/fixed",
            Path::Json => "/json",
            Path::Orders => "/orders",
            Path::SlowOrders => "/slow-orders",
        }
    }
}

/// What is always the same: as long as a receipt.
pub(crate) fn fixed() -> Vec<u8> {
    let mut body =
        br#"{"token":"0000000000000000","total_cents":0,"name":""#.to_vec();
    body.resize(1_000, b'x');
    body.extend(br#""}"#);
    body
}

/// A sale that is made up, as that of the map is.
pub(crate) fn made_up(order: &Order) -> Sold {
    Sold {
        id: 1,
        name: format!("product {}", order.product),
        description: "It is good. ".repeat(70),
        price_cents: 2 * order.product + 1,
    }
}

/// The answer where nothing waits: to all but what asks a database from a task.
///
/// # Errors
///
/// Why the order is refused.
pub(crate) fn answer(
    path: Path,
    body: &[u8],
    place: impl FnOnce(&Order, bool) -> Result<Sold, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    if path == Path::Fixed {
        return Ok(fixed());
    }
    let order = order::read(body)?;
    let sold = match path {
        Path::Json => made_up(&order),
        path => place(&order, path == Path::SlowOrders)?,
    };
    Ok(order::receipt(&order, &sold))
}
