//! The histograms of runs, which are kept beside their rows: they are most of what a run prints, and no page
//! needs them. A run's percentiles are rows already.
//!
//! A file of them is gzip, whose members stand one behind the other; in it is a line of JSON for each cell of a
//! run that has any. Who renders never
//! opens it.

use std::io::{self, BufRead, BufReader, Write};

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use measurement::{Latencies, LineError, Outcome, Parameters, Run};
use serde::{Deserialize, Serialize};

/// The histograms of a cell in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellHistograms {
    /// When the run began, as its header says.
    pub run: String,
    /// As the cell's rows say.
    pub contender: String,
    /// As the cell's rows say.
    pub parameters: Parameters,
    /// As the cell's rows say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// One a visit, in the order of the rows' points: nanoseconds.
    pub histogram: Vec<Latencies>,
}

/// Takes the histograms out of a run, and returns them in the order of its rows.
pub(crate) fn take(run: &mut Run) -> Vec<CellHistograms> {
    let mut all = Vec::new();
    for row in &mut run.rows {
        let Outcome::Measured(measured) = &mut row.outcome else { continue };
        let Some(window) = &mut measured.window else { continue };
        let histogram = std::mem::take(&mut window.histogram);
        if !histogram.is_empty() {
            all.push(CellHistograms {
                run: run.header.run.clone(),
                contender: row.contender.clone(),
                parameters: row.parameters.clone(),
                twin_of: row.twin_of.clone(),
                histogram,
            });
        }
    }
    all
}

/// A run's histograms as they stand in their file, behind those of other runs. The same make the same bytes.
///
/// # Errors
///
/// None while there is memory.
pub(crate) fn to_gzip(all: &[CellHistograms]) -> io::Result<Vec<u8>> {
    let mut file = GzEncoder::new(Vec::new(), Compression::best());
    for of_cell in all {
        serde_json::to_writer(&mut file, of_cell)?;
        file.write_all(b"\n")?;
    }
    file.finish()
}

/// Reads a file of them.
///
/// # Errors
///
/// With the line, if it is none, or was cut off.
pub fn read(gzip: &[u8]) -> Result<Vec<CellHistograms>, LineError> {
    let lines = BufReader::new(MultiGzDecoder::new(gzip)).lines();
    let of_cell = |(index, line): (usize, io::Result<String>)| {
        let error = |why: String| LineError::new(index + 1, format!("no histograms: {why}"));
        let line = line.map_err(|why| error(why.to_string()))?;
        serde_json::from_str(&line).map_err(|why| error(why.to_string()))
    };
    lines.enumerate().map(of_cell).collect()
}
