//! The paths of requests. A path decides how much work the server does.

use serde::{Deserialize, Serialize};

use crate::listings::order::{self, Order, Refusal, Sold};

/// The maximum length of a body that the server reads, in bytes.
pub const LONGEST_BODY: usize = 16 * 1024;

/// The path of a request, which asks for a part of an order's work. Every
/// server has all paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Path {
    /// No work: the answer is always the same, and the body is not read.
    Fixed,
    /// The order is read and checked, and a receipt is written for a fictitious
    /// sale.
    Json,
    /// The order is stored.
    Orders,
    /// The order is stored, with a query that takes 20 ms.
    SlowOrders,
}

impl Path {
    /// All paths.
    pub(crate) const ALL: [Path; 4] =
        [Path::Fixed, Path::Json, Path::Orders, Path::SlowOrders];

    /// Returns the path as it stands in a request.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Path::Fixed => "/fixed",
            Path::Json => "/json",
            Path::Orders => "/orders",
            Path::SlowOrders => "/slow-orders",
        }
    }
}

/// Returns the fixed answer, which is as long as a receipt.
pub(crate) fn fixed() -> Vec<u8> {
    let mut body =
        br#"{"token":"0000000000000000","total_cents":0,"name":""#.to_vec();
    body.resize(1_000, b'x');
    body.extend(br#""}"#);
    body
}

/// Returns a fictitious sale, like a sale of the map.
pub(crate) fn made_up(order: &Order) -> Sold {
    Sold {
        id: 1,
        name: format!("product {}", order.product),
        description: "It is good. ".repeat(70),
        price_cents: 2 * order.product + 1,
    }
}

/// Returns the answer to a request for which no task has to wait: every
/// request except those for the database from a task.
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
