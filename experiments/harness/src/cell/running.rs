//! Runs a benchmark in the environment that it requests, and checks the
//! result.

use std::time::Duration;

use recordings::recording::Recorded;

use super::{Cell, CellKind, Take, Work};
use crate::idle::{Idle, Idling};
use crate::placement::{Pinned, Placement};
use crate::protocol::Found;
use crate::spinners::{Spinners, Spinning};
use crate::window;

/// The maximum length of a measurement window in a run that only checks
/// answers.
const VERIFIED: Duration = Duration::from_millis(100);
/// The maximum length of a second measurement window. The second window is
/// tried if no request was answered in the first one.
const VERIFIED_AT_LAST: Duration = Duration::from_secs(5);

/// The environment of a benchmark while it runs: how idle cores wait,
/// programs that keep cores awake, and placement on cores. Dropping this
/// value restores the usual environment.
pub(crate) struct Surroundings {
    idling: Option<Idling>,
    _spinning: Option<Spinning>,
    _pinned: Option<Pinned>,
}

impl Surroundings {
    /// Restores the usual environment after a measurement. Fails if idle
    /// cores didn't wait in the way that the benchmark requires.
    pub(crate) fn end(self) -> Result<(), String> {
        self.idling.as_ref().map_or(Ok(()), Idling::check)
    }
}

impl Cell {
    /// Records the benchmark's operations step by step. Has to run in a
    /// separate process.
    pub(crate) fn record(&self) -> Result<Recorded, String> {
        let (Some(plan), Work::Timed { answer, body }) =
            (&self.recording, &self.work)
        else {
            return Err("nothing is planned to be recorded of it".to_owned());
        };
        let mut batch = body.start()?;
        let surroundings = self.surroundings()?;
        let recorded = recorder::record(plan, self.per, |operations| {
            Ok(batch.run(operations).checked(*answer)?.elapsed)
        })?;
        surroundings.end()?;
        Ok(recorded)
    }

    pub(crate) fn can_run(&self) -> Result<(), String> {
        self.needs.iter().try_for_each(|need| need())
    }

    /// Sets how idle cores wait, puts this process on the benchmark's cores,
    /// and starts the spinners. Dropping the result reverses all three.
    pub(crate) fn surroundings(&self) -> Result<Surroundings, String> {
        self.surroundings_with(self.idle)
    }

    /// Sets up the environment for checking answers only: doesn't wait until
    /// idle cores halt again.
    fn surroundings_for_an_answer(&self) -> Result<Surroundings, String> {
        self.surroundings_with(self.idle.filter(|idle| *idle == Idle::Polls))
    }

    fn surroundings_with(
        &self,
        idle: Option<Idle>,
    ) -> Result<Surroundings, String> {
        let idling = idle.map(Idle::take).transpose()?;
        let pinned = self.placement.map_or(Ok(None), Placement::take)?;
        let spinning = self.spinners.map(Spinners::start).transpose()?;
        Ok(Surroundings { idling, _spinning: spinning, _pinned: pinned })
    }

    /// Runs the benchmark once. The outer error is the reason why it can't
    /// run here; the inner error describes a wrong answer.
    ///
    /// A falling line is accepted here: if the figures are for the whole
    /// computer, other programs may free more memory meanwhile than the units
    /// take.
    pub(crate) fn verify(&self) -> Result<Result<(), String>, String> {
        self.can_run()?;
        Ok(match &self.work {
            Work::Timed { answer, body } => {
                let mut batch = body.start()?;
                let _surroundings = self.surroundings_for_an_answer()?;
                batch.run(1).checked(*answer).map(drop)
            }
            Work::Taken(take) => {
                let _surroundings = self.surroundings_for_an_answer()?;
                let found = match take(VERIFIED) {
                    Err(reason) if window::is_too_short(&reason) => {
                        take(VERIFIED_AT_LAST)
                    }
                    found => found,
                };
                found.and_then(|found| self.checked(found)).map(drop)
            }
        })
    }

    /// Returns the figures of a benchmark that isn't timed.
    ///
    /// Fails, with the reason, if the result can't become a row.
    pub(crate) fn find(&self, take: &Take) -> Result<Found, String> {
        let found = self.checked(take(Duration::MAX)?)?;
        match &self.infinite_means {
            Some(reason) if found.figures.iter().any(|f| f.is_infinite()) => {
                Err(reason.clone())
            }
            _ if self.kind == CellKind::Line && found.figures[0] < 0.0 => {
                Err(format!("{:?} make a line that falls", found.line))
            }
            _ => Ok(found),
        }
    }

    /// Checks that the result has a figure for each quantity, and that all
    /// are finite unless the benchmark explains infinite ones.
    fn checked(&self, found: Found) -> Result<Found, String> {
        let figures = &found.figures;
        let has_histogram = !found.latencies.is_empty();
        let percentiles =
            usize::from(has_histogram) * window::PERCENTILES.len();
        let is_number = |figure: &f64| {
            figure.is_finite()
                || (figure.is_infinite() && self.infinite_means.is_some())
        };
        if figures.len() == self.quantities.len() + percentiles
            && figures.iter().all(is_number)
        {
            return Ok(found);
        }
        let quantities = self.quantities.iter().map(|(name, _)| name);
        let quantities: Vec<_> = quantities.collect();
        Err(format!(
            "{figures:?} are not one figure for each of {quantities:?}"
        ))
    }
}
