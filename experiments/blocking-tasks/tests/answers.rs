//! Every contender gives the right answer.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How often it is tried: on a machine that is busy enough, a runtime may be started so
/// late that nothing of it lies in a window of a tenth of a second.
const TRIES: usize = 3;

/// How long a try may take. In one of sixty, Glommio 0.9 has slept for ever in
/// `io_uring_enter` while its tasks were ready; a run ends such a visit by itself.
const LIMIT: Duration = Duration::from_secs(150);

#[test]
fn every_contender_returns_the_same_answer() {
    let mut wrong = String::new();
    for _ in 0..TRIES {
        match verify() {
            Ok(skipped) => {
                for reason in skipped {
                    println!("cannot run here: {reason}");
                }
                return;
            }
            Err(reason) => wrong = reason,
        }
    }
    panic!("wrong, {TRIES} times out of {TRIES}: {wrong}");
}

/// On a thread of its own, which is left alone if it takes too long.
fn verify() -> Result<Vec<String>, String> {
    let (tell, told) = channel();
    thread::spawn(move || {
        // Nobody listens any more if it took too long.
        let _ = tell.send(blocking_tasks::chapter().verify());
    });
    let verified = told.recv_timeout(LIMIT);
    verified.unwrap_or_else(|error| Err(format!("the answers: {error}")))
}
