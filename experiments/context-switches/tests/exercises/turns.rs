//! An exercise on tasks that take turns.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::Waker;

/// Write your solution here.
mod yours {
    use super::*;

    /// *Hand over.* A Monoio task that wakes itself runs again before all
    /// others, so the usual `yield_now` yields to nobody. Let the other of
    /// two tasks run first: it may have left its waker in the baton, and
    /// needs yours to give the turn back.
    pub(super) async fn hand_over(baton: Rc<Baton>) {
        let _ = baton;
        todo!()
    }
}

mod worked {
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;

    pub(super) async fn hand_over(baton: Rc<Baton>) {
        let mut handed_over = false;
        poll_fn(|context| {
            if handed_over {
                return Poll::Ready(());
            }
            handed_over = true;
            let other = baton.waiting.replace(Some(context.waker().clone()));
            if let Some(other) = other {
                other.wake();
            }
            Poll::Pending
        })
        .await;
    }
}

#[derive(Default)]
struct Baton {
    /// The waker of the task that waits for its turn.
    waiting: RefCell<Option<Waker>>,
}

const TURNS: usize = 20;

/// Runs two tasks, and returns their names in the order in which they had
/// their turns.
fn turns<Task>(solution: fn(Rc<Baton>) -> Task) -> Vec<char>
where
    Task: std::future::Future<Output = ()> + 'static,
{
    let baton = Rc::new(Baton::default());
    let order = Rc::new(RefCell::new(Vec::new()));
    let task = |name: char| {
        let (baton, order) = (Rc::clone(&baton), Rc::clone(&order));
        async move {
            for _ in 0..TURNS {
                order.borrow_mut().push(name);
                solution(Rc::clone(&baton)).await;
            }
            // Wakes the other task, which may be waiting for a turn that will
            // not come.
            if let Some(other) = baton.waiting.take() {
                other.wake();
            }
        }
    };
    let builder = monoio::RuntimeBuilder::<monoio::LegacyDriver>::new();
    builder.build().expect("a runtime can be built").block_on(async {
        let (one, other) = (monoio::spawn(task('a')), monoio::spawn(task('b')));
        one.await;
        other.await;
    });
    order.take()
}

fn check_hand_over<Task>(solution: fn(Rc<Baton>) -> Task)
where
    Task: std::future::Future<Output = ()> + 'static,
{
    let in_turns: Vec<char> = ['a', 'b'].repeat(TURNS);
    assert_eq!(turns(solution), in_turns);
}

#[test]
#[ignore = "an exercise"]
fn hand_over() {
    check_hand_over(yours::hand_over);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_hand_over(worked::hand_over);
}

/// Monoio runs a task that wakes itself before all other tasks, as described
/// in the exercise. The `yield_now` in this test is smol's.
#[test]
fn a_task_that_wakes_itself_gives_way_to_nobody() {
    let usual = turns(|_| smol::future::yield_now());
    let one_by_one = [vec!['a'; TURNS], vec!['b'; TURNS]].concat();
    assert_eq!(usual, one_by_one);
}
