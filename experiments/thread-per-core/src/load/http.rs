//! The request to an HTTP server, and the check of its answers.

use std::io;
use std::net::SocketAddr;

use httparse::{Response, Status, EMPTY_HEADER};

use super::pattern::CHUNK;

const BODY: &[u8] = b"Hello, world!";

/// The maximum length of an answer's head, in bytes.
const LONGEST_HEAD: usize = 8 << 10;

const MOST_FIELDS: usize = 32;

/// An HTTP request. It is always the one that wrk sends.
#[derive(Debug)]
pub(super) struct Request {
    bytes: usize,
    /// The request, repeated until any chunk of the stream is contiguous.
    repeated: Vec<u8>,
}

impl Request {
    pub(super) fn to(address: SocketAddr) -> Request {
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let times = 1 + CHUNK.div_ceil(request.len());
        Request {
            bytes: request.len(),
            repeated: request.repeat(times).into_bytes(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns up to `bytes` bytes of the endless stream of requests,
    /// starting at `offset`. Never returns more than a chunk.
    pub(super) fn at(&self, offset: u64, bytes: usize) -> &[u8] {
        let from = (offset % self.bytes as u64) as usize;
        &self.repeated[from..from + bytes.min(CHUNK)]
    }
}

/// The state of the HTTP answer that is arriving on a connection.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The bytes of an incomplete head. Most heads arrive at once, so this is
    /// usually empty.
    head: Vec<u8>,
    /// The part of the body that has arrived, once the head is complete.
    body: Option<Body>,
}

/// The body of an answer that is arriving, and whether the answer is right so
/// far.
#[derive(Debug)]
struct Body {
    length: usize,
    received: usize,
    /// True if all bytes received so far are right, including the head.
    is_right: bool,
}

impl Answers {
    /// Parses incoming bytes. Calls `answered` for each answer that they
    /// complete, with `true` if it has status 200 and the right body. The
    /// rest of the head may be anything.
    ///
    /// # Errors
    ///
    /// If the end of an answer can't be determined.
    pub(super) fn take(
        &mut self,
        mut bytes: &[u8],
        mut answered: impl FnMut(bool),
    ) -> io::Result<()> {
        while !bytes.is_empty() {
            let body = match &mut self.body {
                Some(body) => body,
                empty => {
                    let Some((taken, body)) = head(&mut self.head, bytes)?
                    else {
                        return Ok(());
                    };
                    bytes = &bytes[taken..];
                    empty.insert(body)
                }
            };
            bytes = body.take(bytes);
            if body.received == body.length {
                answered(body.is_right);
                self.body = None;
            }
        }
        Ok(())
    }
}

impl Body {
    /// Compares the part of `bytes` that belongs to the body with the
    /// expected body, and returns the remaining bytes.
    fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let left = self.length - self.received;
        let (piece, rest) = bytes.split_at(bytes.len().min(left));
        let until = self.received + piece.len();
        self.is_right &= BODY.get(self.received..until) == Some(piece);
        self.received = until;
        rest
    }
}

/// Parses an answer's head, which may have begun in earlier bytes (`before`).
/// Returns how many of `bytes` belong to the head, and the expected body. If
/// the head is incomplete, keeps its bytes in `before`.
fn head(
    before: &mut Vec<u8>,
    bytes: &[u8],
) -> io::Result<Option<(usize, Body)>> {
    let had = before.len();
    let all = if had == 0 {
        bytes
    } else {
        before.extend_from_slice(bytes);
        &*before
    };
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    let mut response = Response::new(&mut fields);
    match response.parse(all).map_err(not_understood)? {
        Status::Complete(length) => {
            let body = body(&response)?;
            before.clear();
            Ok(Some((length - had, body)))
        }
        Status::Partial if all.len() > LONGEST_HEAD => {
            Err(not_understood("its head has no end"))
        }
        Status::Partial => {
            if had == 0 {
                before.extend_from_slice(bytes);
            }
            Ok(None)
        }
    }
}

/// Returns the initial state of an answer's body, given the answer's head.
fn body(response: &Response<'_, '_>) -> io::Result<Body> {
    let length = response
        .headers
        .iter()
        .find(|field| field.name.eq_ignore_ascii_case("content-length"))
        .and_then(|field| str::from_utf8(field.value).ok()?.parse().ok())
        .ok_or_else(|| not_understood("it does not say its length"))?;
    let is_right = response.code == Some(200) && length == BODY.len();
    Ok(Body { length, received: 0, is_right })
}

fn not_understood(reason: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!(
        "the server's answer cannot be understood: {reason}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str =
        "HTTP/1.1 200 OK\r\ndate: Sun, 22 Nov 2026 22:00:00 GMT\
        \r\nContent-Length: 13\r\n\r\nHello, world!";

    /// Parses `bytes` in pieces of `piece` bytes, and returns for each answer
    /// whether it is right.
    fn told(bytes: &str, piece: usize) -> Result<Vec<bool>, String> {
        let mut answers = Answers::default();
        let mut told = Vec::new();
        for piece in bytes.as_bytes().chunks(piece) {
            let taken = answers.take(piece, |is_right| told.push(is_right));
            taken.map_err(|error| error.to_string())?;
        }
        Ok(told)
    }

    #[test]
    fn requests_follow_each_other_without_an_end() {
        let request = Request::to("127.0.0.1:7000".parse().unwrap());
        let one = "GET / HTTP/1.1\r\nHost: 127.0.0.1:7000\r\n\r\n";
        assert_eq!(request.at(0, request.bytes()), one.as_bytes());
        let mut sent = Vec::new();
        for bytes in [3, 100, 1 << 30, 7] {
            sent.extend_from_slice(request.at(sent.len() as u64, bytes));
        }
        assert_eq!(sent.len(), 110 + CHUNK);
        assert!(one.repeat(5_000).as_bytes().starts_with(&sent));
    }

    #[test]
    fn answers_are_told_apart_however_they_are_split() {
        let wrong = [
            RIGHT.replace("world", "World"),
            RIGHT.replace("200", "503"),
            RIGHT.replace("13\r\n\r\nHello", "12\r\n\r\nhell"),
            RIGHT.replace("13\r\n\r\nHello", "14\r\n\r\nHello "),
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_owned(),
        ];
        for wrong in wrong {
            let bytes = [RIGHT, RIGHT, &wrong, RIGHT].concat();
            for piece in [1, 2, 13, 97, 1_000] {
                let told = told(&bytes, piece);
                let expected = Ok(vec![true, true, false, true]);
                assert_eq!(told, expected, "{wrong} by {piece}");
            }
        }
    }

    #[test]
    fn what_has_no_known_end_is_an_error() {
        let endless = RIGHT.replace("13\r\n", &"1".repeat(9_000));
        let reasons = [
            (RIGHT.replace("Content-Length", "length"), "its length"),
            (RIGHT.replace("13\r\n\r\n", "-1\r\n\r\n"), "its length"),
            (endless, "no end"),
            ("220 smtp.example.org\r\n".to_owned(), "understood"),
        ];
        for (bytes, reason) in reasons {
            for piece in [1, 1_000] {
                let error = told(&bytes, piece).unwrap_err();
                assert!(error.contains(reason), "{error}");
            }
        }
    }
}
