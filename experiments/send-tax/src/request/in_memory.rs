//! A connection without a socket: the requests lie in memory already, and the
//! replies are written behind each other.

/// Has each request answered, a line each, and returns the replies.
pub fn serve(requests: &str, answer: impl FnMut(&str) -> String) -> String {
    let mut replies = String::with_capacity(requests.len());
    requests.lines().map(answer).for_each(|reply| replies.push_str(&reply));
    replies
}
