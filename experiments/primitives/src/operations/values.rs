//! Operations on values that one task sets and other tasks read. A value is
//! set once, sent to one receiver or all receivers, or replaced by newer
//! values.

use std::hint::black_box;

use super::{timed, How, Took};
use crate::operations::locks;
use crate::primitive::{Broadcast, OnceCell, Oneshot, Watch};

/// The number of set-once cells in the published benchmark. Each is created
/// just before it is set.
const PUBLISHED_CELLS: u64 = 1_000_000;

/// The number of messages in the published benchmark.
const MESSAGES: u64 = 100_000;

/// The number of objects that are created in advance, to be used once each.
/// They fit into the second-level cache.
const MADE_BEFORE: u64 = 1_024;

pub(crate) const RECEIVERS: usize = 4;

const VALUE: u64 = 42;

pub(crate) fn get_times(how: How) -> u64 {
    locks::times(how)
}

pub(crate) fn set_times(how: How) -> u64 {
    match how {
        How::Ours | How::Unconstrained => MADE_BEFORE,
        How::AsPublished => PUBLISHED_CELLS,
    }
}

pub(crate) fn oneshot_times(how: How) -> u64 {
    match how {
        How::Ours | How::Unconstrained => MADE_BEFORE,
        How::AsPublished => MESSAGES,
    }
}

pub(crate) fn message_times(_: How) -> u64 {
    MESSAGES
}

pub(crate) fn get<C: OnceCell>(how: How) -> Took {
    let cell = how.made(C::new);
    cell.set(VALUE);
    timed(|| {
        let is_there = |_: &u64| black_box(cell.get()) == Some(&VALUE);
        (0..get_times(how)).filter(is_there).count() as u64
    })
}

pub(crate) fn set<C: OnceCell>(how: How) -> Took {
    if how == How::AsPublished {
        let makes_and_sets = |value: &u64| C::new().set(*value);
        return timed(|| {
            (0..PUBLISHED_CELLS).filter(makes_and_sets).count() as u64
        });
    }
    let cells: Vec<C> =
        how.made(|| (0..MADE_BEFORE).map(|_| C::new()).collect());
    timed(|| {
        (0..).zip(&cells).filter(|(value, cell)| cell.set(*value)).count()
            as u64
    })
}

pub(crate) fn oneshot<O: Oneshot>(how: How) -> Took {
    let arrives = |message: u64, sender, receiver: &mut O::Receiver| {
        O::send(sender, message)
            && black_box(O::try_recv(receiver)) == Some(message)
    };
    if how == How::AsPublished {
        let makes_and_uses = |message: &u64| {
            let (sender, mut receiver) = O::new();
            arrives(*message, sender, &mut receiver)
        };
        return timed(|| (0..MESSAGES).filter(makes_and_uses).count() as u64);
    }
    // The receivers are only borrowed in the timed code, so that dropping
    // them isn't timed.
    let (senders, mut receivers): (Vec<_>, Vec<_>) =
        how.made(|| (0..MADE_BEFORE).map(|_| O::new()).unzip());
    timed(|| {
        let pairs = senders.into_iter().zip(&mut receivers);
        let arrive =
            (0..).zip(pairs).filter_map(|(message, (sender, receiver))| {
                arrives(message, sender, receiver).then_some(())
            });
        arrive.count() as u64
    })
}

/// Sends all messages. Then each receiver receives all of them.
pub(crate) fn broadcast<B: Broadcast>(how: How) -> Took {
    let (sender, mut receivers) =
        how.made(|| B::new(MESSAGES as usize, RECEIVERS));
    timed(|| {
        let sent = (0..MESSAGES)
            .filter(|&message| B::try_send(&sender, message))
            .count();
        let mut received = 0;
        for receiver in &mut receivers {
            let arrives =
                |message: &u64| B::try_recv(receiver) == Some(*message);
            received += (0..MESSAGES).filter(arrives).count();
        }
        if received == sent * RECEIVERS {
            sent as u64
        } else {
            0
        }
    })
}

pub(crate) fn watch<W: Watch>(how: How) -> Took {
    let (sender, receiver) = how.made(W::new);
    timed(|| {
        let is_seen = |value: &u64| {
            W::send(&sender, *value) && black_box(W::look(&receiver)) == *value
        };
        (0..MESSAGES).filter(is_seen).count() as u64
    })
}
