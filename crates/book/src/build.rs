//! `cargo book` builds the book from the data in the source tree.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use findings::DataScope;
use pages::driver;

use crate::stale_warnings;

/// The command's options.
#[derive(clap::Args)]
// `cargo book measure` takes these options in addition to its own.
#[group(skip)]
pub(crate) struct BuildOptions {
    /// Open the book in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// Builds the book in `root`. Prints the path, how long it took, and which data are stale.
pub(crate) fn execute(root: &Path, options: &BuildOptions) -> Result<()> {
    let start = Instant::now();
    let built = driver::build(root, DataScope::WithLocal)?;
    let index = built.directory.join("index.html");
    let took = start.elapsed().as_secs_f64();
    host::say!("The book is in {} (rendered in {took:.2} s)", index.display());
    for warning in stale_warnings::warnings(&built.analysis.data) {
        host::tell!("warning: {warning}");
    }
    if options.open {
        open(&index).with_context(|| format!("{} cannot be opened", index.display()))?;
    }
    Ok(())
}

/// Opens a file in the default program for its type. (A crate for this would take longer to
/// compile than the rest of this package.)
fn open(file: &Path) -> Result<()> {
    let (program, arguments): (_, &[_]) = match env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let status = Command::new(program).args(arguments).arg(file).status().context(program)?;
    ensure!(status.success(), "{program}: {status}");
    Ok(())
}
