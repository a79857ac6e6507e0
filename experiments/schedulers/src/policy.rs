//! The scheduling policies. To add one, write a file with a [`Remote`] and a
//! [`Local`], and add a variant here; no other module knows the policies.

use std::sync::Arc;

use crate::scheduling::{Local, Remote, Unpark};
use crate::{pinned, stealing};

/// Decides which worker polls which task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// New tasks go to the workers in turn, and stay there.
    /// [`spawn_on`](crate::spawn_on) chooses the worker.
    Pinned,
    /// A worker keeps the tasks that it spawns and wakes, until an idle
    /// worker takes half of them.
    Stealing,
}

/// The part of the queues that any thread may use, and each worker's own
/// part.
pub(crate) type Queues<T> = (Arc<dyn Remote<T>>, Vec<Box<dyn Local<T>>>);

impl Policy {
    /// All policies that an executor can have.
    pub const ALL: [Policy; 2] = [Policy::Pinned, Policy::Stealing];

    /// Returns the name of this policy in results.
    pub const fn contender(self) -> &'static str {
        match self {
            Policy::Pinned => "ours pinned",
            Policy::Stealing => "ours stealing",
        }
    }

    /// Creates the queues of all workers. `unpark` holds one function per
    /// worker, which wakes it.
    pub(crate) fn queues<T: Send + 'static>(
        self,
        unpark: Vec<Unpark>,
    ) -> Queues<T> {
        match self {
            Policy::Pinned => as_policy(pinned::queues(unpark)),
            Policy::Stealing => as_policy(stealing::queues(unpark)),
        }
    }
}

fn as_policy<T>(
    (remote, locals): (
        Arc<impl Remote<T> + 'static>,
        Vec<impl Local<T> + 'static>,
    ),
) -> Queues<T> {
    let boxed = |local| Box::new(local) as Box<dyn Local<T>>;
    (remote, locals.into_iter().map(boxed).collect())
}
