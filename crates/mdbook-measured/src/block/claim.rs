//! A claim, as its card.

use measurement::LineError;

use crate::block::block_kind::{BlockKind, Shown};
use crate::claim::Claim;
use crate::claim::card::card;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;

pub(crate) const CLAIM: BlockKind = BlockKind {
    word: "claim",
    language: r#"
A sentence with a predicate: `above x`, `below x`, `between a and b` of a `value` or a `ratio`, `within m %` of a ratio of 1.
`{bound}` in the sentence is what the predicate says: `ten`, `a tenth`, `1.5 and 3`, `20 %`, `210 and 840 ns`. A ratio above or below 1
is `more` or `less` in its sentence, and no `{bound}`. The predicate and what it is about fix the test: a ratio above or below 1,
and a tail above or below anything, are judged by the order of full runs, all else by the interval of the machine's mean.
`quick = true` names a claim that quick runs judge as well, eight of a chapter at most; of the others they say "full only".

```toml
id         = "spawn-cost.threads"
sentence   = "Creating 1,000 threads costs more than {bound} times what 1,000 tasks cost."
ratio      = "units: std::thread, units=1000, arm=ours / tokio multi-thread"
predicate  = "above 10"
replicates = "spawning.spawn-overhead"
```
"#,
    render,
};

fn render(block: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    // What is wrong with it has been reported with the claims of all pages.
    let read = Claim::parse(&block.body, &on.page.names, on.page.place(block)).ok();
    let claim = read.and_then(|claim| on.claim(&claim.id));
    Ok(claim.map(|claim| card(claim, on.context, on.to_root)).unwrap_or_default().into())
}
