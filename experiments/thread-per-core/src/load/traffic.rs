//! The connections of one load thread, and what is sent and received on them.

use std::io::{self, ErrorKind};
use std::time::Duration;

use mio::event::Event;
use mio::{Events, Interest, Poll, Token};

use super::alarm::Alarm;
use super::clock::{nanoseconds, Clock};
use super::connection::{Connection, Protocol};
use super::cpu_time::{CpuShare, CpuTime};
use super::pattern::CHUNK;
use super::settings::PATIENCE;
use super::tally::Tally;

/// The token of the alarm's events. The token of a connection is its index.
const ALARM: Token = Token(usize::MAX);

/// The connections of one load thread. [`super::closed`] and [`super::open`]
/// decide when requests are made.
#[derive(Debug)]
pub(super) struct Traffic<'a> {
    protocol: &'a Protocol,
    clock: Clock,
    poll: Poll,
    /// Ends a poll at a given instant; `None` if the thread spins.
    alarm: Option<Alarm>,
    /// The connections, with `None` in place of each broken one.
    connections: Vec<Option<Connection>>,
    unanswered: u64,
    buffer: Vec<u8>,
    pub(super) tally: Tally,
    /// The thread's CPU time when the measurement began; `None` before that.
    cpu_time: Option<CpuTime>,
    /// The time at which the last poll began. `None` unless the thread spins
    /// and the poll found nothing during the measurement.
    nothing_since: Option<u64>,
    /// The time spent in polls that found nothing, in nanoseconds.
    empty_polls: u64,
}

impl<'a> Traffic<'a> {
    pub(super) fn new(
        protocol: &'a Protocol,
        clock: Clock,
        connections: Vec<Connection>,
        tally: Tally,
        spin: bool,
    ) -> io::Result<Traffic<'a>> {
        let poll = Poll::new()?;
        let alarm =
            (!spin).then(|| Alarm::new(poll.registry(), ALARM)).transpose()?;
        let mut connections: Vec<_> =
            connections.into_iter().map(Some).collect();
        for (place, connection) in connections.iter_mut().flatten().enumerate()
        {
            let interests = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(
                &mut connection.stream,
                Token(place),
                interests,
            )?;
        }
        let buffer = vec![0; CHUNK];
        let (unanswered, cpu_time) = (0, None);
        Ok(Traffic {
            protocol,
            clock,
            poll,
            alarm,
            connections,
            unanswered,
            buffer,
            tally,
            cpu_time,
            nothing_since: None,
            empty_polls: 0,
        })
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now()
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.len()
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.tally.broken == self.connections.len() as u64
    }

    /// Adds a request to the connection with index `place`. [`Traffic::send`]
    /// will send it.
    pub(super) fn request(&mut self, place: usize, made: u64) {
        match &mut self.connections[place] {
            Some(connection) => {
                connection.request(made);
                self.unanswered += 1;
            }
            None => self.tally.lose(made, self.clock.now()),
        }
    }

    /// Sends as much as possible without waiting on the connection with index
    /// `place`. Returns whether everything has been sent.
    pub(super) fn send(&mut self, place: usize) -> bool {
        let Some(connection) = &mut self.connections[place] else {
            return false;
        };
        match connection.send(self.protocol) {
            Ok(is_sent) => is_sent,
            Err(error) => {
                self.lose(place, error);
                false
            }
        }
    }

    /// Waits for events until the instant `until`. A thread that spins
    /// doesn't wait.
    pub(super) fn wait(
        &mut self,
        events: &mut Events,
        until: u64,
    ) -> io::Result<()> {
        let now = self.clock.now();
        if self.cpu_time.is_none() && now >= self.tally.measured.window().start
        {
            self.cpu_time = Some(CpuTime::of_this_thread(now)?);
        }
        if let Some(since) = self.nothing_since.take() {
            self.empty_polls += now - since;
        }
        let at_most = match &mut self.alarm {
            Some(alarm) if until > now => {
                alarm.set(now, until)?;
                None
            }
            _ => Some(Duration::ZERO),
        };
        match self.poll.poll(events, at_most) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => result?,
        }
        let spins = self.alarm.is_none() && self.cpu_time.is_some();
        self.nothing_since = (spins && events.is_empty()).then_some(now);
        Ok(())
    }

    /// Receives and sends as much as possible on the connection to which
    /// `event` belongs. Returns the connection's index, and the number of
    /// requests that were answered.
    pub(super) fn serve(&mut self, event: &Event) -> Option<(usize, usize)> {
        let place = event.token().0;
        let connection = self.connections.get_mut(place)?.as_mut()?;
        let mut answers = 0;
        if event.is_readable() || event.is_read_closed() || event.is_error() {
            let is_closing = event.is_read_closed() || event.is_error();
            let count = |answer| {
                answers += 1;
                self.tally.answer(place, answer);
            };
            let (protocol, buffer) = (self.protocol, &mut self.buffer);
            let received = connection
                .receive(protocol, self.clock, buffer, is_closing, count);
            self.unanswered -= answers as u64;
            if let Err(error) = received {
                self.lose(place, error);
                return Some((place, answers));
            }
        }
        self.send(place);
        Some((place, answers))
    }

    /// Drops the connection with index `place`, which has broken, and counts
    /// its requests as lost.
    fn lose(&mut self, place: usize, error: io::Error) {
        let Some(connection) = self.connections[place].take() else { return };
        let now = self.clock.now();
        for made in connection.unanswered() {
            self.tally.lose(made, now);
            self.unanswered -= 1;
        }
        self.tally.broken += 1;
        self.tally.why_broken.get_or_insert(error);
    }

    /// Waits for the remaining answers, for up to [`PATIENCE`]. Returns the
    /// counts, and the CPU time that the measurement took.
    pub(super) fn finish(
        mut self,
        events: &mut Events,
    ) -> io::Result<(Tally, CpuShare)> {
        let now = self.clock.now();
        let cpu = match &self.cpu_time {
            Some(then) => {
                CpuTime::of_this_thread(now)?.since(then, self.empty_polls)
            }
            None => CpuShare::default(),
        };
        let give_up = now + nanoseconds(PATIENCE);
        while self.unanswered > 0 && self.clock.now() < give_up {
            self.wait(events, give_up)?;
            for event in events.iter() {
                self.serve(event);
            }
        }
        for made in
            self.connections.iter().flatten().flat_map(Connection::unanswered)
        {
            self.tally.give_up(made);
        }
        Ok((self.tally, cpu))
    }
}
