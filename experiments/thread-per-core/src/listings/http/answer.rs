//! Parses HTTP/1.1 requests and writes the answers to a buffer, without any
//! I/O: the part that all our hand-written servers share.

use std::mem::MaybeUninit;

use httparse::{Error, Request, Status};

/// The maximum length of a request's head, in bytes. A server never buffers
/// more.
const LONGEST_HEAD: usize = 8 * 1024;

/// The maximum number of header fields of a request.
const MOST_FIELDS: usize = 64;

const HELLO: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\nHello, world!";
const HELLO_AND_CLOSE: &[u8] = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\
    content-length: 13\r\n\r\nHello, world!";
const BAD: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\
    content-length: 0\r\n\r\n";
const TOO_LARGE: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\n\
    connection: close\r\ncontent-length: 0\r\n\r\n";

/// Appends the answers to all complete requests in `received`. Returns how
/// many bytes these requests took. Returns `None` if the connection is to be
/// closed after the answers, because the client asked for that or a request
/// is invalid.
pub fn answer(received: &[u8], answers: &mut Vec<u8>) -> Option<usize> {
    let mut taken = 0;
    while taken < received.len() {
        let rest = &received[taken..];
        let mut fields = [const { MaybeUninit::uninit() }; MOST_FIELDS];
        let mut request = Request::new(&mut []);
        match request.parse_with_uninit_headers(rest, &mut fields) {
            Ok(Status::Complete(length)) if !has_body(&request) => {
                taken += length;
                if is_last(&request) {
                    answers.extend_from_slice(HELLO_AND_CLOSE);
                    return None;
                }
                answers.extend_from_slice(HELLO);
            }
            Ok(Status::Partial) if rest.len() < LONGEST_HEAD => break,
            Ok(Status::Partial) | Err(Error::TooManyHeaders) => {
                answers.extend_from_slice(TOO_LARGE);
                return None;
            }
            Ok(Status::Complete(_)) | Err(_) => {
                answers.extend_from_slice(BAD);
                return None;
            }
        }
    }
    Some(taken)
}

/// Returns whether the request has a body, which this server doesn't support.
fn has_body(request: &Request<'_, '_>) -> bool {
    request.headers.iter().any(|field| {
        let name = field.name;
        name.eq_ignore_ascii_case("transfer-encoding")
            || (name.eq_ignore_ascii_case("content-length")
                && field.value != b"0")
    })
}

/// Returns whether the client wants the connection to be closed after the
/// answer. Before HTTP/1.1, closing was the default.
fn is_last(request: &Request<'_, '_>) -> bool {
    request.version == Some(0)
        || request.headers.iter().any(|field| {
            field.name.eq_ignore_ascii_case("connection")
                && field.value.eq_ignore_ascii_case(b"close")
        })
}
