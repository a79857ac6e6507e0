//! A chart, whose title tells what was found.

use crate::block::block_kind::BlockKind;
use crate::chart;

pub(crate) const CHART: BlockKind = BlockKind {
    word: "chart",
    language: r#"
Rows, drawn in one of these kinds (all its keys: `ChartBlock`):

| kind | draws | needs |
|---|---|---|
| `lines` | a line a series in the band of its intervals, over a parameter that is a number | `x` |
| `bars` | a bar a row, from zero; on a logarithmic scale a point | `x` |
| `distribution` | a dot a visit, and the median with its interval | `x` |
| `ladder` | a rung a row, and the factor at each step; with `against = "first"`, where the others are alternatives to the first rung, the factor to that | `rungs` |

Where the intervals of several lines would hide each other, `intervals = false` leaves them to the chart's table.

What its rows have in common is an `experiment`, a `quantity` and what is fixed under `where`; or a `context`, which is a name of a
`figures` block, and over which these three say more.

```toml
id      = "context-switches.one-core"
title   = "On one core, a hop costs {{number thread}} with threads"
kind    = "bars"
context = "line: placement=one core"
x       = "contender"
```

The title of a chart is a sentence that says what was found, with directives for its figures. It is refused if it tells a
ratio that a claim calls undecided. Where visits fall into two modes, the title tells the larger one, prose both, a cross marks
the second, and visits are drawn as faint dots; so they are where they lie anywhere between two ends.
Buttons offer the other scale, and where there are several machines each of them; the reader's own run stands beside the
reference. Under a chart fold its table, its run, its code and the command that makes it again.
"#,
    render: chart::render,
};
