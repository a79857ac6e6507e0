//! A map in two shards, one per core, on Glommio: a core touches its own shard without
//! a lock, and asks the other core by a shared channel. Answers come back by another,
//! with the number of the question.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use glommio::channels::local_channel::{self, LocalSender};
use glommio::channels::shared_channel::{
    self, ConnectedReceiver, ConnectedSender, SharedReceiver, SharedSender,
};
use glommio::{spawn_local, GlommioError};
use slab::Slab;

/// The keys of one core, and their values.
pub type Shard = Rc<RefCell<HashMap<u32, u64>>>;

/// The tasks of one core that wait for the other, by the numbers of their questions.
type Waiting = Rc<RefCell<Slab<LocalSender<Option<u64>>>>>;

type Question = (usize, Request);
type Answer = (usize, Option<u64>);

#[derive(Debug, Clone, Copy)]
enum Request {
    Get(u32),
    Add(u32),
}

/// Why nobody answers.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The channel to the other core holds no more.
    Full,
    /// The other core has ended.
    Gone,
}

/// A core's ends of the channels between the two.
#[derive(Debug)]
pub struct Link {
    asks: SharedSender<Question>,
    is_answered: SharedReceiver<Answer>,
    is_asked: SharedReceiver<Question>,
    answers: SharedSender<Answer>,
}

/// The ends of both cores. Each channel holds `capacity` messages.
pub fn link(capacity: usize) -> (Link, Link) {
    let ((asks, is_asked), (other_asks, other_is_asked)) = (
        shared_channel::new_bounded(capacity),
        shared_channel::new_bounded(capacity),
    );
    let ((answers, other_is_answered), (other_answers, is_answered)) = (
        shared_channel::new_bounded(capacity),
        shared_channel::new_bounded(capacity),
    );
    (
        Link { asks, is_answered, is_asked: other_is_asked, answers },
        Link {
            asks: other_asks,
            is_answered: other_is_answered,
            is_asked,
            answers: other_answers,
        },
    )
}

/// The whole map, as the tasks of one core see it.
#[derive(Debug)]
pub struct Map {
    core: u32,
    own: Shard,
    asks: ConnectedSender<Question>,
    waiting: Waiting,
}

impl Map {
    /// The value of a key, if it has one.
    pub async fn get(&self, key: u32) -> Result<Option<u64>, Error> {
        self.ask(key, Request::Get(key)).await
    }

    /// Adds one to the value of a key, and returns it.
    pub async fn add(&self, key: u32) -> Result<Option<u64>, Error> {
        self.ask(key, Request::Add(key)).await
    }

    async fn ask(
        &self,
        key: u32,
        request: Request,
    ) -> Result<Option<u64>, Error> {
        if key % 2 == self.core {
            return Ok(answer(&self.own, request));
        }
        let (gets_answer, answered) = local_channel::new_bounded(1);
        let number = self.waiting.borrow_mut().insert(gets_answer);
        if let Err(error) = self.asks.try_send((number, request)) {
            self.waiting.borrow_mut().remove(number);
            return Err(match error {
                GlommioError::WouldBlock(_) => Error::Full,
                _ => Error::Gone,
            });
        }
        answered.recv().await.ok_or(Error::Gone)
    }
}

/// What a core needs to answer the other. When it goes, the questions go first: so
/// whoever finds that no answers come any more can't ask again and wait for ever.
#[derive(Debug)]
pub struct Owner {
    is_asked: ConnectedReceiver<Question>,
    answers: ConnectedSender<Answer>,
    shard: Shard,
}

impl Owner {
    /// Answers the other core, until that one has no map any more.
    pub async fn serve(self) {
        while let Some((number, request)) = self.is_asked.recv().await {
            let answer = (number, answer(&self.shard, request));
            if self.answers.try_send(answer).is_err() {
                // Nobody reads answers any more, or more questions were asked than
                // there is room for answers.
                return;
            }
        }
    }
}

/// Connects core `core`, which owns `shard`, with the other one.
pub async fn connect(core: u32, shard: Shard, link: Link) -> (Map, Owner) {
    // At once: each end waits for its other end.
    let asks = spawn_local(link.asks.connect());
    let is_answered = spawn_local(link.is_answered.connect());
    let is_asked = spawn_local(link.is_asked.connect());
    let answers = spawn_local(link.answers.connect());
    let waiting = Waiting::default();
    spawn_local(hand_out(is_answered.await, Rc::clone(&waiting))).detach();
    let map = Map { core, own: Rc::clone(&shard), asks: asks.await, waiting };
    (map, Owner { is_asked: is_asked.await, answers: answers.await, shard })
}

/// Gives each answer to the task that waits for it.
async fn hand_out(is_answered: ConnectedReceiver<Answer>, waiting: Waiting) {
    while let Some((number, value)) = is_answered.recv().await {
        let gets_answer = waiting.borrow_mut().remove(number);
        // It fails if nobody waits for the answer any more.
        let _ = gets_answer.try_send(value);
    }
    // No answer comes any more: whoever still waits is told so.
    waiting.borrow_mut().clear();
}

fn answer(shard: &Shard, request: Request) -> Option<u64> {
    let mut shard = shard.borrow_mut();
    match request {
        Request::Get(key) => shard.get(&key).copied(),
        Request::Add(key) => {
            let value = shard.entry(key).or_default();
            *value += 1;
            Some(*value)
        }
    }
}
