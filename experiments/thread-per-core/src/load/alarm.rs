//! A timer that ends a poll at a given instant, precise to the microsecond.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{
    ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags,
};

/// Wakes a [`mio::Poll`] at a given instant. The timeout of `poll` itself is
/// in milliseconds, rounded up, and the kernel may add 50 us to it (timer
/// slack), so an open loop would send most of its requests too late. A
/// timerfd has neither problem.
#[derive(Debug)]
pub(super) struct Alarm {
    timer: TimerFd,
    set_to: Option<u64>,
}

impl Alarm {
    /// Creates an alarm that wakes the poll with an event that has this
    /// `token`.
    pub(super) fn new(registry: &Registry, token: Token) -> io::Result<Alarm> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        let descriptor = timer.as_fd().as_raw_fd();
        registry.register(
            &mut SourceFd(&descriptor),
            token,
            Interest::READABLE,
        )?;
        Ok(Alarm { timer, set_to: None })
    }

    /// Sets the alarm to instant `at`, which must be after `now`; both are in
    /// nanoseconds. Setting the alarm to the same instant again costs
    /// nothing.
    pub(super) fn set(&mut self, now: u64, at: u64) -> io::Result<()> {
        if self.set_to != Some(at) {
            let wait = TimeSpec::from(Duration::from_nanos(at - now));
            self.timer
                .set(Expiration::OneShot(wait), TimerSetTimeFlags::empty())?;
            self.set_to = Some(at);
        }
        Ok(())
    }
}
