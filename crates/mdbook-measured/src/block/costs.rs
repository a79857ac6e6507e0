//! What things cost, and what to do.

use crate::block::block_kind::BlockKind;
use crate::chart::price_list;

pub(crate) const COSTS: BlockKind = BlockKind {
    word: "costs",
    language: r#"
What things cost: a picture of all prices on one axis, by the `group` of each, and a table. A `cost` is a row's time, as in `number`;
`to-do` is what to do about it, with both figures, and rests on a `claim`. From which request on it matters is computed: below ten
times its estimate it is more than a tenth, and a slider tells all of them as shares of one that a reader chooses. In the table,
names link to the chapters of the rows. What is too close to call folds behind it.

```toml
id    = "costs.prices"
title = "Creating a thread takes {{ratio spawn-cost/units: std::thread, units=1000 / tokio multi-thread}} times as long as a task"

[price."Spawn a thread"]
group = "A core woken"
cost  = "spawn-cost/units: std::thread, units=1000, time per unit"
to-do = "Keep threads: a task takes {{number spawn-cost/units: tokio multi-thread, units=1000, time per unit}}."
claim = "spawn-cost.thread-against-task"
```
"#,
    render: price_list::render,
};
