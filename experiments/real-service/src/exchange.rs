//! Handles HTTP/1.1 without a server library: httparse parses requests, and
//! answers are written by hand.

use std::io::Write;

use crate::listings::order::Refusal;
use crate::path::{Path, LONGEST_BODY};

/// The maximum length of the head of a request, in bytes.
const LONGEST_HEAD: usize = 8 * 1024;

/// The result of parsing the request at the beginning of the received bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming<'a> {
    /// The request is incomplete.
    Part,
    Request {
        /// The path, or `None` if the server has no such path.
        path: Option<Path>,
        /// The body, which contains the order in JSON.
        body: &'a [u8],
        bytes: usize,
    },
    /// The request is invalid. The server has to answer with this HTTP
    /// status, and to close the connection.
    Refused(u16),
}

/// Parses the request at the beginning of the received bytes. More requests
/// may follow.
pub(crate) fn parse(received: &[u8]) -> Incoming<'_> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut headers);
    let head = match request.parse(received) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) if received.len() <= LONGEST_HEAD => {
            return Incoming::Part
        }
        _ => return Incoming::Refused(400),
    };
    let mut length = Some(0);
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(header.value).ok();
            length = text.and_then(|text| text.trim().parse::<usize>().ok());
        }
    }
    let Some(length) = length else { return Incoming::Refused(400) };
    if length > LONGEST_BODY {
        return Incoming::Refused(Refusal::TooLarge.status());
    }
    let bytes = head + length;
    let Some(body) = received.get(head..bytes) else { return Incoming::Part };
    let is_post = request.method == Some("POST");
    let mut paths = Path::ALL.into_iter().filter(|_| is_post);
    let path = paths.find(|path| request.path == Some(path.text()));
    Incoming::Request { path, body, bytes }
}

/// Appends an answer with this HTTP status and body to `answers`.
pub(crate) fn write(status: u16, body: &[u8], answers: &mut Vec<u8>) {
    let length = body.len();
    let head = format_args!(
        "HTTP/1.1 {status} \r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n"
    );
    answers.write_fmt(head).expect("memory can be written");
    answers.extend_from_slice(body);
}

/// Answers all complete requests in the received bytes, and appends the
/// answers. Returns the total length of these requests in bytes, or `None` if
/// the connection has to be closed.
pub(crate) fn answer(
    received: &[u8],
    answers: &mut Vec<u8>,
    mut handle: impl FnMut(Path, &[u8]) -> Result<Vec<u8>, Refusal>,
) -> Option<usize> {
    let mut taken = 0;
    loop {
        match parse(&received[taken..]) {
            Incoming::Part => return Some(taken),
            Incoming::Refused(status) => {
                write(status, b"", answers);
                return None;
            }
            Incoming::Request { path, body, bytes } => {
                match path.map(|path| handle(path, body)) {
                    Some(Ok(receipt)) => write(201, &receipt, answers),
                    Some(Err(refusal)) => write(refusal.status(), b"", answers),
                    None => write(404, b"", answers),
                }
                taken += bytes;
            }
        }
    }
}
