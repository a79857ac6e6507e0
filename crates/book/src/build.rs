//! `cargo book`: builds the book from the data in the tree.

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
// `cargo book measure` takes it in addition to its own options.
#[group(skip)]
pub(crate) struct BuildOptions {
    /// Open the book in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// Builds the book in `root`, and prints where it is, how long that took, and which of its data are
/// stale.
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

/// Opens a file in the program that this computer opens such files with. A crate for that takes
/// longer to compile than this book's own.
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
