//! A timeline of recorded operations.

use measurement::LineError;

use crate::block::block_kind::{BlockKind, Shown};
use crate::block::chart::with_context;
use crate::chart::timeline;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;

pub(crate) const TIMELINE: BlockKind = BlockKind {
    word: "timeline",
    language: r#"
One or two recorded operations, nanosecond by nanosecond, on one axis: what cores and units did, who woke whom, and the steps in
words. A recording is named by its contender and as many of its parameters as it takes to be the only one; its figures are rows
as well, `switch: std::thread, kernel=pipe, step=write to waking, recorded time`. `cargo book measure --record` makes them.

```toml
id         = "context-switches.hop"
title      = "Most of a hop to another core is waking it"
experiment = "switch"

[recordings]
"to another core"  = "std::thread, kernel=pipe, arm=ours, placement=neighbours"
"on the same core" = "std::thread, kernel=pipe, arm=ours, placement=one core"
```
"#,
    render,
};

fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    let (html, id) = with_context(on, |place| timeline::render(&block.body, place))?;
    Ok(Shown { html: format!("\n{html}\n\n"), id: Some(id), script: None })
}
