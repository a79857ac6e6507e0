//! Counts the system calls of a child by name, with ptrace. This needs no
//! privileges, but stops the child twice per call. Counting is therefore done
//! in separate processes, in which nothing is timed and few operations run.
//!
//! The tracer is a process between the parent and the child. It starts the
//! child, which serves the parent as usual. When the child has run a
//! benchmark, the tracer answers in its place. If any of the three is killed,
//! the others exit, too.

pub(crate) use platform::{be_traced, is_traced, say, trace};

/// A message from a traced child to its tracer.
type Mark = i32;
/// Tells the tracer to discard the calls so far, which belong to an untimed
/// first operation.
pub(crate) const FORGET: Mark = -7_000_001;
/// Tells the tracer to count calls from now on, because a batch begins.
pub(crate) const START: Mark = -7_000_002;
/// Tells the tracer to stop counting, because the batch has ended.
pub(crate) const STOP: Mark = -7_000_003;
/// Tells the tracer to answer the parent, because the benchmark has been run.
pub(crate) const REPLY: Mark = -7_000_004;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod platform {
    use std::collections::BTreeMap;
    use std::process::Command;
    use std::sync::OnceLock;

    use anyhow::{Context, Result};
    use nix::errno::Errno;
    use nix::libc;
    use nix::sys::ptrace::{self, Options};
    use nix::sys::signal::{raise, Signal};
    use nix::sys::wait::{waitpid, WaitPidFlag, WaitStatus};
    use nix::unistd::{getpgid, Pid};

    use super::{Mark, FORGET, REPLY, START, STOP};
    use crate::helper;
    use crate::protocol::{Report, CHILD, TRACED};

    static IS_TRACED: OnceLock<Result<(), String>> = OnceLock::new();

    /// Allows this process to be traced by its parent. Call this first: only
    /// threads that are started afterwards are traced as well.
    pub(crate) fn be_traced() {
        let traced = ptrace::traceme().and_then(|()| raise(Signal::SIGSTOP));
        let traced = traced.map_err(|error| {
            format!(
                "ptrace is not allowed here ({error}): sudo sysctl \
                 kernel.yama.ptrace_scope=1, or in a container \
                 --cap-add=SYS_PTRACE"
            )
        });
        IS_TRACED.get_or_init(|| traced);
    }

    pub(crate) fn is_traced() -> Result<(), String> {
        let not_asked = || Err("this process is not traced".to_owned());
        IS_TRACED.get().cloned().unwrap_or_else(not_asked)
    }

    /// Sends a mark to the tracer, if there is one. The mark is a system call
    /// without side effects: it asks for the process group of a process that
    /// can't exist.
    pub(crate) fn say(mark: Mark) {
        if let Some(Ok(())) = IS_TRACED.get() {
            let answer = getpgid(Some(Pid::from_raw(mark)));
            debug_assert_eq!(answer, Err(Errno::ESRCH));
        }
    }

    /// Starts this program as a traced child, and counts its system calls
    /// until it ends. Returns the child's exit status, as a shell would.
    pub(crate) fn trace() -> Result<i32> {
        let program = std::env::current_exe()?;
        let child = Command::new(program).args([CHILD, TRACED]).spawn();
        let child = child.context("the traced child cannot be started")?;
        let child = Pid::from_raw(child.id().try_into()?);
        let mut options = Options::PTRACE_O_TRACECLONE;
        options |= Options::PTRACE_O_EXITKILL;
        options |= Options::PTRACE_O_TRACESYSGOOD;
        let (mut tally, mut is_set_up) = (CallTally::default(), false);
        loop {
            // Waits for any thread that this process traces: the child and
            // the child's threads.
            let flags = WaitPidFlag::__WALL | WaitPidFlag::WUNTRACED;
            let (thread, signal) = match waitpid(None, Some(flags))? {
                WaitStatus::Exited(id, status) if id == child => {
                    return Ok(status);
                }
                WaitStatus::Signaled(id, signal, _) if id == child => {
                    return Ok(128 + signal as i32);
                }
                WaitStatus::PtraceSyscall(thread) => {
                    tally.note(thread)?;
                    (thread, None)
                }
                // The first stop of a thread. The tracing of this thread
                // begins here.
                WaitStatus::Stopped(thread, Signal::SIGSTOP) => {
                    if !is_set_up {
                        ptrace::setoptions(thread, options)?;
                        is_set_up = true;
                    }
                    (thread, None)
                }
                WaitStatus::Stopped(thread, signal) => (thread, Some(signal)),
                WaitStatus::PtraceEvent(thread, ..) => (thread, None),
                _ => continue,
            };
            match ptrace::syscall(thread, signal) {
                // The thread has been killed since it stopped.
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// How often each system call was made between the marks, by the call's
    /// number.
    #[derive(Default)]
    struct CallTally {
        is_on: bool,
        calls: BTreeMap<u64, u64>,
    }

    impl CallTally {
        /// If `thread` has stopped at the entry of a system call, counts that
        /// call.
        fn note(&mut self, thread: Pid) -> Result<()> {
            let info = match ptrace::syscall_info(thread) {
                Err(Errno::ESRCH) => return Ok(()),
                info => info.context("the kernel, before Linux 5.3, does not say which call it is")?,
            };
            if info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
                return Ok(());
            }
            // SAFETY: `op` shows that the kernel wrote this variant, which
            // consists of plain numbers.
            let call = unsafe { info.u.entry };
            let [process, ..] = call.args;
            let is_mark = call.nr == libc::SYS_getpgid as u64;
            match if is_mark { process as Mark } else { 0 } {
                FORGET => self.calls.clear(),
                START => self.is_on = true,
                STOP => self.is_on = false,
                REPLY => {
                    let calls = std::mem::take(&mut self.calls);
                    let report: Report = Ok(serde_json::to_value(calls)?);
                    helper::report(&report)?;
                }
                _ if self.is_on => {
                    *self.calls.entry(call.nr).or_default() += 1;
                }
                _ => {}
            }
            Ok(())
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod platform {
    use anyhow::{bail, Result};

    use super::Mark;

    const REASON: &str = "system calls are counted on Linux only";

    pub(crate) fn be_traced() {}

    pub(crate) fn is_traced() -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(crate) fn say(_mark: Mark) {}

    pub(crate) fn trace() -> Result<i32> {
        bail!("system calls are counted on Linux only")
    }
}
