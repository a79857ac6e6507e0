//! The paths of requests. The path decides how much work the server does.

use serde::{Deserialize, Serialize};

use crate::listings::order::{self, Order, Refusal, Sold};

/// The maximum length of a request's body, in bytes. The server doesn't read
/// longer ones.
pub const LONGEST_BODY: usize = 16 * 1024;

/// The path of a request. It selects the parts of an order's work that the
/// server does. Every server supports all paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Path {
    /// The answer is fixed, and the body is ignored.
    Fixed,
    /// The order is parsed and checked, and a receipt is written for a
    /// fictitious sale.
    Json,
    /// The order is stored in the map or the database.
    Orders,
    /// The order is stored, and the query for its product takes 20 ms.
    SlowOrders,
}

impl Path {
    pub(crate) const ALL: [Path; 4] =
        [Path::Fixed, Path::Json, Path::Orders, Path::SlowOrders];

    /// Returns the path as written in a request.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Path::Fixed => "/fixed",
            Path::Json => "/json",
            Path::Orders => "/orders",
            Path::SlowOrders => "/slow-orders",
        }
    }
}

/// Returns a fixed answer that is as long as a receipt.
pub(crate) fn fixed() -> Vec<u8> {
    let mut body =
        br#"{"token":"0000000000000000","total_cents":0,"name":""#.to_vec();
    body.resize(1_000, b'x');
    body.extend(br#""}"#);
    body
}

/// Returns a fictitious sale, with the values that the map would return.
pub(crate) fn made_up(order: &Order) -> Sold {
    Sold {
        id: 1,
        name: format!("product {}", order.product),
        description: "It is good. ".repeat(70),
        price_cents: 2 * order.product + 1,
    }
}

/// Answers a request on the calling thread. The handlers of axum don't use
/// this function, because they may await the database.
///
/// # Errors
///
/// If the order is refused, with the reason.
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
