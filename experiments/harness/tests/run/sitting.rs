//! Runs of the chapter. The test runs its own executable in place of the
//! chapter's program.

use std::process::{Command, Output};
use std::sync::LazyLock;

use measurement::{Measured, Outcome, Row, Run, RunHeader};

/// The environment variable that makes this process act as the chapter's
/// program.
pub(crate) const PROGRAM: &str = "HARNESS_TEST_PROGRAM";

/// Returns a command that runs this test's executable in place of the
/// chapter's program.
pub(crate) fn program(arguments: &[&str]) -> Command {
    as_program(Command::new(this()), arguments)
}

/// Makes `command` run as the chapter's program, and appends `arguments` to
/// its arguments.
pub(crate) fn as_program(mut command: Command, arguments: &[&str]) -> Command {
    // The run uses a separate lock, so that it doesn't wait for other
    // measurements.
    let lock = env!("CARGO_TARGET_TMPDIR");
    command.env(PROGRAM, "1").env("HARNESS_LOCK_IN", lock).args(arguments);
    command
}

pub(crate) fn this() -> std::path::PathBuf {
    std::env::current_exe().expect("this test has a path")
}

/// Runs a command. Returns whether it succeeded, its output, and its
/// messages.
pub(crate) fn output(mut command: Command) -> (bool, String, String) {
    let Output { status, stdout, stderr } =
        command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status.success(), text(stdout), text(stderr))
}

/// The output of a run: the header of the first experiment, and the rows of
/// all of them.
pub(crate) struct Sitting {
    pub(crate) header: RunHeader,
    pub(crate) rows: Vec<Row>,
    pub(crate) said: String,
}

impl Sitting {
    pub(crate) fn of(command: Command) -> Sitting {
        let (is_success, text, said) = output(command);
        assert!(is_success, "{said}");
        let runs = Run::parse_all(&text);
        let runs = runs.unwrap_or_else(|error| panic!("{error}: {said}"));
        let header = runs[0].header.clone();
        let rows = runs.into_iter().flat_map(|run| run.rows).collect();
        Sitting { header, rows, said }
    }

    pub(crate) fn brief(filter: &str) -> Sitting {
        Sitting::of(program(&[filter, "--json", "--brief"]))
    }

    pub(crate) fn row(&self, contender: &str, quantity: &str) -> &Row {
        let is_it = |row: &&Row| {
            row.contender == contender
                && row.quantity == quantity
                && row.twin_of.is_none()
        };
        let row = self.rows.iter().find(is_it);
        row.unwrap_or_else(|| panic!("no {quantity} of {contender}"))
    }

    pub(crate) fn measured(
        &self,
        contender: &str,
        quantity: &str,
    ) -> &Measured {
        let measured = self.row(contender, quantity).figures();
        measured.unwrap_or_else(|reason| panic!("{reason}"))
    }
}

/// The run that all tests here share.
pub(crate) static RUN: LazyLock<Sitting> =
    LazyLock::new(|| Sitting::of(program(&["--json", "--brief"])));

/// Formats a row for comparison. The result has the row's figures, and the
/// turns or the number of processes in which they were measured.
pub(crate) fn line(row: &Row) -> String {
    let name = row.name();
    match &row.outcome {
        Outcome::Failed(reason) => format!("{name}: failed: {reason}"),
        Outcome::Measured(Measured {
            estimate,
            points,
            visits,
            source,
            ..
        }) => {
            let mut figures = points.clone();
            figures.dedup();
            let when = match visits {
                Some(of) if of.turn.iter().copied().eq(0..12) => {
                    "in every turn".to_owned()
                }
                Some(of) => format!("in turns {:?}", of.turn),
                None => format!("in {} processes", points.len()),
            };
            let difference = if row.difference { ", a difference" } else { "" };
            format!("{name}: {estimate} of {figures:?} {when}, {source:?}{difference}")
        }
    }
}

/// Returns whether `line` contains the parts of `words` in order. In `words`,
/// `*` separates the parts.
pub(crate) fn reads(line: &str, words: &str) -> bool {
    let mut parts = words.split('*');
    parts
        .try_fold(line, |rest, part| {
            Some(&rest[rest.find(part)? + part.len()..])
        })
        .is_some()
}

/// Returns the rows that match no expectation. An expectation consists of a
/// number of rows, or `any`, and of the words that each of these rows
/// contains.
pub(crate) fn others(rows: &[Row], expected: &[&str]) -> Vec<String> {
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    for expected in expected {
        let (count, words) =
            expected.split_once(' ').expect("a number stands before the words");
        let (found, rest): (Vec<String>, _) =
            lines.into_iter().partition(|line| reads(line, words));
        assert!(
            count == "any" || count == found.len().to_string(),
            "{expected}: {found:#?} and {rest:#?}"
        );
        lines = rest;
    }
    lines
}
