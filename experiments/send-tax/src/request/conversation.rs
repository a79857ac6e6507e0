//! The requests and the right replies, without a service.

use std::time::Duration;

const ITEMS: [&str; 8] =
    ["apples", "bread", "cheese", "dates", "eggs", "figs", "grapes", "honey"];

/// Requests of one visitor, and the right replies.
pub(crate) struct Conversation {
    /// One per line.
    pub(crate) requests: String,
    count: u64,
    replies: String,
    /// How many of each item the visitor wants in the end.
    wanted: [u64; ITEMS.len()],
}

impl Conversation {
    /// Creates `requests` requests: of every four, three add something, and
    /// one looks.
    pub(crate) fn of(requests: u64) -> Conversation {
        let mut all = Conversation {
            requests: String::new(),
            count: requests,
            replies: String::new(),
            wanted: [0; ITEMS.len()],
        };
        for n in 0..requests {
            let place = n as usize * 5 % ITEMS.len();
            let (item, more) = (ITEMS[place], n % 9 + 1);
            let request = if n % 4 == 3 {
                format!("show {item}\n")
            } else {
                all.wanted[place] += more;
                format!("add {item} {more}\n")
            };
            all.requests += &request;
            all.replies += &format!("{item} {}\n", all.wanted[place]);
        }
        all
    }

    /// Returns each request with its right reply, both including their line
    /// ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let replies = self.replies.split_inclusive('\n');
        self.requests.split_inclusive('\n').zip(replies)
    }

    /// Returns how many of `replies` are right: all, or none if any is wrong.
    pub(super) fn right(&self, replies: &str) -> u64 {
        if replies == self.replies {
            self.count
        } else {
            0
        }
    }

    /// Returns the outcome, with no right replies if the service has counted a
    /// different number of requests or different quantities.
    pub(crate) fn checked(
        &self,
        (elapsed, right): (Duration, u64),
        requests: u64,
        wanted: impl Fn(&str) -> u64,
    ) -> (Duration, u64) {
        let agrees = requests == self.count
            && ITEMS.iter().zip(self.wanted).all(|(i, n)| wanted(i) == n);
        (elapsed, if agrees { right } else { 0 })
    }
}
