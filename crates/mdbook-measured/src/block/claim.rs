//! A claim. Its card folds at the end of its section.

use crate::block::block_kind::{BlockKind, Shown};

pub(crate) const CLAIM: BlockKind = BlockKind {
    word: "claim",
    language: r#"
A sentence with a predicate: `above x`, `below x`, `between a and b` of a `value` or a `ratio`, `within m %` of a ratio of 1.
`{bound}` in the sentence is what the predicate says: `ten`, `a tenth`, `1.5 and 3`, `20 %`, `210 and 840 ns`. A ratio above or below 1
is `more` or `less` in its sentence, and no `{bound}`. The predicate and what it is about fix the test: a ratio above or below 1,
and a tail above or below anything, are judged by the order of full runs, all else by the interval of the machine's mean.
`quick = true` names a claim that quick runs judge as well, eight of a chapter at most; of the others they say "full only".
The claims of a section, what is between two headings, fold at its end behind one line, `3 predictions: 2 right, 1 too close to call`,
wherever in it they stand; write them there.

```toml
id         = "spawn-cost.threads"
sentence   = "Creating 1,000 threads costs more than {bound} times what 1,000 tasks cost."
ratio      = "units: std::thread, units=1000, arm=ours / tokio multi-thread"
predicate  = "above 10"
replicates = "spawning.spawn-overhead"
```
"#,
    render: |_, _| Ok(Shown::default()),
};
