//! A timeline of recorded operations.

use crate::block::block_kind::BlockKind;
use crate::chart::timeline;

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
    render: timeline::render,
};
