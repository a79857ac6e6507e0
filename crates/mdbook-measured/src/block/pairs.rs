//! The same programs in two settings.

use crate::block::block_kind::BlockKind;
use crate::chart::pairs;

pub(crate) const PAIRS: BlockKind = BlockKind {
    word: "pairs",
    language: r#"
The same programs in two settings, on one logarithmic axis: under the name of each two rows' times, as in `number`, or so many of
one, and behind them what the second setting makes of it. They may be of several experiments and chapters. Buttons offer each machine;
the table folds behind the picture.

```toml
id       = "introduction.second-core"
title    = "With a second core, these programs get slower"
settings = ["one core", "two cores"]

[programs]
"count 1,000 words in one map" = ["1000 x word: cores=one", "500 x word: cores=all"]
"a hop between threads"        = ["hop: placement=one core", "hop: placement=all cores"]
```
"#,
    render: pairs::render,
};
