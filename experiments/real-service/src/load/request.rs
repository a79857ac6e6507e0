//! The requests that a load generator sends.

use std::io::Write;

use crate::path::{fixed, Path};

const BODY: usize = 1_024;

/// A request that can be sent repeatedly, each time with a different order.
pub struct Request {
    path: Path,
    bytes: Vec<u8>,
    /// The index in `bytes` at which the body begins.
    body: usize,
    token: u64,
    product: u32,
    quantity: u32,
}

/// The indices in the body at which the changing values begin: the token, the
/// four digits of the product, and the digit of the quantity.
const TOKEN: usize = r#"{"token":""#.len();
const PRODUCT: usize = TOKEN + 16 + r#"","product":"#.len();
const QUANTITY: usize = PRODUCT + 4 + r#","quantity":"#.len();

impl Request {
    /// Creates a request. The token of its first order is `token + 1`.
    pub fn new(path: Path, token: u64) -> Request {
        let mut body = String::from(
            r#"{"token":"0000000000000000","product":0000,"quantity":0,"#,
        );
        body.push_str(
            r#""customer":{"name":"Ada Lovelace","email":"ada@example.org","address":["12 St James's Square","London SW1Y 4JH","England"]},"notes":["#,
        );
        for part in 1..=6 {
            let note = r#""text":"Leave it with the \"neighbours\", please, or ring twice.","print":"#;
            let print = part % 2 == 0;
            let comma = if part == 6 { "" } else { "," };
            body.push_str(&format!(
                r#"{{"part":{part},{note}{print}}}{comma}"#
            ));
        }
        body.push(']');
        // A field that only makes the body long enough; the server ignores
        // it.
        body.push_str(r#","agent":""#);
        let missing = BODY - body.len() - 2;
        body.push_str(&"a".repeat(missing));
        body.push_str(r#""}"#);
        let mut bytes = format!(
            "POST {} HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            path.text(),
            body.len(),
        )
        .into_bytes();
        let begins = bytes.len();
        bytes.extend_from_slice(body.as_bytes());
        Request { path, bytes, body: begins, token, product: 0, quantity: 0 }
    }

    /// Returns the length of a request, in bytes. All have the same length.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Writes the next order into the request, and returns the request's
    /// bytes.
    pub fn another(&mut self) -> &[u8] {
        self.token += 1;
        self.product = 1_000 + (self.token % 1_000) as u32;
        self.quantity = 1 + (self.token % 9) as u32;
        let Request { token, product, quantity, body, bytes, .. } = self;
        let mut write = |at: usize, text: std::fmt::Arguments<'_>| {
            let mut place = &mut bytes[*body + at..];
            place.write_fmt(text).expect("there is room");
        };
        write(TOKEN, format_args!("{token:016x}"));
        write(PRODUCT, format_args!("{product}"));
        write(QUANTITY, format_args!("{quantity}"));
        bytes
    }

    /// Returns the prefix with which the answer to the last request must
    /// start.
    pub(super) fn expected(&self) -> Vec<u8> {
        match self.path {
            Path::Fixed => {
                let mut body = fixed();
                body.truncate(PRODUCT);
                body
            }
            _ => answer_begins(self.token, self.product, self.quantity),
        }
    }
}

/// Returns the prefix with which the answer to an order with these values
/// must start.
pub fn answer_begins(token: u64, product: u32, quantity: u32) -> Vec<u8> {
    let total_cents = quantity * (2 * product + 1);
    let (open, close) = ("{", "\"product ");
    format!(
        r#"{open}"token":"{token:016x}","total_cents":{total_cents},"name":{close}{product}""#
    )
    .into_bytes()
}
