//! The histograms of runs, which are kept beside their rows: they are most of what a run prints, and no page
//! needs them. A run's percentiles are rows already.
//!
//! A file of them is gzip, whose members stand one behind the other; in it is a line of JSON for each cell of a
//! run that has any. Who renders never opens it.

use std::io::{self, BufRead, BufReader, Write};
use std::mem;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use measurement::{Latencies, LineError, Outcome, Parameters, Run};
use serde::{Deserialize, Serialize};

/// The histograms of a cell in a run.
#[derive(Serialize, Deserialize)]
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

/// Takes the histograms out of a run, in the order of its rows: as they stand in their file, behind those of other
/// runs. Nothing of a run that has none; the same make the same bytes.
pub(crate) fn take(run: &mut Run) -> io::Result<Option<Vec<u8>>> {
    let mut file = GzEncoder::new(Vec::new(), Compression::best());
    let mut has_any = false;
    for row in &mut run.rows {
        let Outcome::Measured(measured) = &mut row.outcome else { continue };
        let histogram = measured.window.as_mut().map(|window| mem::take(&mut window.histogram));
        if let Some(histogram) = histogram.filter(|visits| !visits.is_empty()) {
            has_any = true;
            let of_cell = CellHistograms {
                run: run.header.run.clone(),
                contender: row.contender.clone(),
                parameters: row.parameters.clone(),
                twin_of: row.twin_of.clone(),
                histogram,
            };
            serde_json::to_writer(&mut file, &of_cell)?;
            file.write_all(b"\n")?;
        }
    }
    has_any.then(|| file.finish()).transpose()
}

/// Reads a file of them.
///
/// # Errors
///
/// With the line, if it is none, or was cut off.
pub fn read(gzip: &[u8]) -> Result<Vec<CellHistograms>, LineError> {
    let lines = BufReader::new(MultiGzDecoder::new(gzip)).lines();
    let of_cell = |(index, line): (usize, io::Result<String>)| {
        let of_cell = line.and_then(|line| Ok(serde_json::from_str(&line)?));
        of_cell.map_err(|why| LineError::new(index + 1, format!("no histograms: {why}")))
    };
    lines.enumerate().map(of_cell).collect()
}
