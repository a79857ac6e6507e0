//! The requests that a client sends, and the correct replies, computed
//! without a service.

use std::time::Duration;

const ITEMS: [&str; 8] =
    ["apples", "bread", "cheese", "dates", "eggs", "figs", "grapes", "honey"];

/// One visitor's requests, and the correct replies.
pub(crate) struct Conversation {
    /// The requests, one per line.
    pub(crate) requests: String,
    count: u64,
    replies: String,
    /// The total quantity of each item in the visitor's basket after all
    /// requests.
    wanted: [u64; ITEMS.len()],
}

impl Conversation {
    /// Creates `requests` requests: three of every four add items to the
    /// basket, and the fourth asks for a quantity.
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

    /// Returns each request with its correct reply, both including the
    /// newline at the end.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let replies = self.replies.split_inclusive('\n');
        self.requests.split_inclusive('\n').zip(replies)
    }

    /// Returns the number of correct replies, or 0 if any reply is wrong.
    pub(super) fn right(&self, replies: &str) -> u64 {
        if replies == self.replies {
            self.count
        } else {
            0
        }
    }

    /// Returns the elapsed time and the number of correct replies. The number
    /// is 0 if the service has counted a different number of requests or
    /// different quantities.
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
