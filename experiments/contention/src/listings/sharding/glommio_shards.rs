//! A map on Glommio with two shards, one per core. A core accesses its own
//! shard without a lock, and sends questions to the other core through a
//! shared channel. Answers return through another channel, together with the
//! number of the question.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use glommio::channels::local_channel::{self, LocalSender};
use glommio::channels::shared_channel::{
    self, ConnectedReceiver, ConnectedSender, SharedReceiver, SharedSender,
};
use glommio::{spawn_local, GlommioError};
use slab::Slab;

/// The keys and values that one core owns.
pub type Shard = Rc<RefCell<HashMap<u32, u64>>>;

/// The tasks of one core that are waiting for an answer from the other core,
/// by question number.
type Waiting = Rc<RefCell<Slab<LocalSender<Option<u64>>>>>;

type Question = (usize, Request);
type Answer = (usize, Option<u64>);

#[derive(Debug, Clone, Copy)]
enum Request {
    Get(u32),
    Add(u32),
}

/// The reasons why a question gets no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The channel to the other core is full.
    Full,
    /// The other core has ended.
    Gone,
}

/// One core's ends of the channels between the two cores.
#[derive(Debug)]
pub struct Link {
    asks: SharedSender<Question>,
    is_answered: SharedReceiver<Answer>,
    is_asked: SharedReceiver<Question>,
    answers: SharedSender<Answer>,
}

/// Creates both cores' ends of the channels between them. Each channel holds
/// `capacity` messages.
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

/// A handle to both shards of the map, used by the tasks of one core.
#[derive(Debug)]
pub struct Map {
    core: u32,
    own: Shard,
    asks: ConnectedSender<Question>,
    waiting: Waiting,
}

impl Map {
    /// Returns the value of `key`, or `None` if the map doesn't contain it.
    pub async fn get(&self, key: u32) -> Result<Option<u64>, Error> {
        self.ask(key, Request::Get(key)).await
    }

    /// Adds one to the value of `key`, and returns the new value.
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

/// Everything that a core needs to answer the other core. The questions are
/// dropped before the answers. Otherwise, a task whose answer will never come
/// could ask again and wait forever.
#[derive(Debug)]
pub struct Owner {
    is_asked: ConnectedReceiver<Question>,
    answers: ConnectedSender<Answer>,
    shard: Shard,
}

impl Owner {
    /// Answers questions from the other core until that core has dropped its
    /// map.
    pub async fn serve(self) {
        while let Some((number, request)) = self.is_asked.recv().await {
            let answer = (number, answer(&self.shard, request));
            if self.answers.try_send(answer).is_err() {
                // Stops if the other core no longer reads answers, or has
                // asked more questions than its answer channel can hold.
                return;
            }
        }
    }
}

/// Connects core `core`, which owns `shard`, with the other core.
pub async fn connect(core: u32, shard: Shard, link: Link) -> (Map, Owner) {
    // All four channel ends have to connect concurrently, because each waits
    // for its counterpart on the other core.
    let asks = spawn_local(link.asks.connect());
    let is_answered = spawn_local(link.is_answered.connect());
    let is_asked = spawn_local(link.is_asked.connect());
    let answers = spawn_local(link.answers.connect());
    let waiting = Waiting::default();
    spawn_local(hand_out(is_answered.await, Rc::clone(&waiting))).detach();
    let map = Map { core, own: Rc::clone(&shard), asks: asks.await, waiting };
    (map, Owner { is_asked: is_asked.await, answers: answers.await, shard })
}

/// Delivers each answer to the task that is waiting for it.
async fn hand_out(is_answered: ConnectedReceiver<Answer>, waiting: Waiting) {
    while let Some((number, value)) = is_answered.recv().await {
        let gets_answer = waiting.borrow_mut().remove(number);
        // Sending fails if the task that asked has been dropped.
        let _ = gets_answer.try_send(value);
    }
    // No more answers will arrive. Dropping the senders wakes the waiting
    // tasks with an error.
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
