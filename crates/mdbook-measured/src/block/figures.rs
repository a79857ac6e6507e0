//! Names for figures, of which nothing is shown: the page has read them.

use crate::block::block_kind::{BlockKind, Shown};

pub(crate) const FIGURES: BlockKind = BlockKind {
    word: "figures",
    language: r#"
Names for rows and for what rows have in common, once a page. The names of a chapter hold on the pages below it
(`spawn-cost.md`, `spawn-cost/limits.md`). A name that nothing asks for, that stands twice, that goes round in a circle, or that
is a contender's is refused.

```toml
line   = "brigade: units=500, in_flight=1, arm=ours, time per hop"
thread = "line: std::thread, placement=one core"
```

So `{{number thread}}`, `{{ratio thread / line: rayon}}` and `{{number line: rayon, units=100}}` say the rest.
"#,
    render: |_, _| Ok(Shown::default()),
};
