//! The language of the pages as a page of its own: `LANGUAGE.md`, made from the tables that read it.

use crate::page::directive::DIRECTIVES;

const BEGINNING: &str = "\
# The language of a page

Made by the tests of `mdbook-measured` from the tables that read it (`UPDATE_LANGUAGE=1 cargo test -p mdbook-measured --lib language`).

What was measured comes onto a page by name. A **selector** names a row as `experiment: contender, parameter=value,
quantity`, as much of it as it takes to be the only one; rows of another chapter as `chapter/experiment: ...`. A name of a
`figures` block stands for a selector, or for a part of one: `thread`, or with more items, `line: rayon, units=100`.

## In the line

A figure comes with its interval, which shows when asked for. Where the figure alone would mislead, the interval stands open
beside it, in a title as well: at a difference that may be nothing, at a ratio that may be 1, and at what is not known within a
factor of 1,000, which is then said in place of the ends. Only a difference's interval reaches below 0, and that of a part of a
whole ends at 100 %. A figure that hardly any visit comes near is not printed: in its place stand the two modes of the visits,
`158 ns (87 % of visits) or 503 ns (13 %)`, or from where to where nine of ten lie.
";

const BLOCKS: &str = r#"
## Blocks

Fenced blocks hold TOML.

### `figures`

Names for rows and for what rows have in common, once a page. The names of a chapter hold on the pages below it
(`spawn-cost.md`, `spawn-cost/limits.md`). A name that nothing asks for, that stands twice, that goes round in a circle, or that
is a contender's is refused.

```toml
line   = "brigade: units=500, in_flight=1, arm=ours, time per hop"
thread = "line: std::thread, placement=one core"
```

So `{{number thread}}`, `{{ratio thread / line: rayon}}` and `{{number line: rayon, units=100}}` say the rest.

### `table`

Figures in rows and columns. `{row}` and `{column}` in `cell`, which is a directive, stand for what the row and the column are.
Without `cell`, each column is the directive of its cells. What has parts is a list: `{row.1}`, `{row.2}`. In what stands at the
heads, directives and `code` are read.

```toml
head = "beyond the baseline"
cell = "number line: {row}, {column}, time per switch"

[columns]
"on one core"  = "placement=one core"
"on all cores" = "placement=all cores"

[rows]
"threads"             = "std::thread"
"Tokio, multi-thread" = "tokio multi-thread"
```

### `predict`

Questions that a reader guesses the answer to, a line each, with the `number` or `ratio` that answers it. The choices are orders of
magnitude, of a ratio also 2 and 5 between them, and the same whatever the answer is. The answer is folded behind the question, and a
script says how far off the guess was. A reader may pass by, so what it says stands elsewhere on the page as well.

```toml
"How long does a hop between two threads take on one core?" = "number thread"
"How many times as long does it take on all cores?" = "ratio thread: placement=all cores / thread"
```

### `calculator`

What 1,000 or any other number takes of several kinds: a table with a column a count, and one in which a reader types their own. Each
kind is what one of it takes, as in `number`, behind a ` + ` what comes on top.

```toml
head   = "idle, all together"
counts = [1000, 1000000]

[kinds]
"a thread each" = "idle: std::thread + kernel memory per unit"
```

### `costs`

What things cost, a table that a reader can sort: under the name of each its `cost`, as in `number`, what that is `made-of`, what `to-do`
about it, and the id of a `claim`. In which of three requests a time is a tenth or more is computed from its interval; the chapter of the
row is linked to. What each machine measured folds behind the table.

```toml
["spawn a thread"]
cost    = "spawn-cost/units: std::thread, units=1000, time per unit"
made-of = "a stack, a system call, and another core that is woken"
to-do   = "keep threads; for short work take tasks"
claim   = "spawn-cost.thread-against-task"
```

### `claim`

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

### `claims`

A family of claims: one predicate over rows and columns, drawn as a table of figures and verdicts, with the cards folded behind
it. `{row}` and `{column}` are the names of the entries in the `id`, what they are `of` in the `ratio` or `value`, and their `words` in
the `sentence`. A row may have its own `sentence` and `replicates`. A family may have no columns.

```toml
id        = "send-tax.{row}-beside-{column}"
sentence  = "{row} costs less than {bound} of {column}."
ratio     = "share-of-request: {row} / {column}"
predicate = "below 0.1"

[columns.json]
head  = "JSON"
of    = "serde_json parse"
words = "the parsing of a body"

[rows.switch]
of    = "task switch"
words = "A task switch"
```

### `chart`

Rows, drawn in one of these kinds (all its keys: `ChartBlock`):

| kind | draws | needs |
|---|---|---|
| `lines` | a line a series in the band of its intervals, over a parameter that is a number | `x` |
| `bars` | a bar a row, from zero; on a logarithmic scale a point | `x` |
| `distribution` | a dot a visit, and the median with its interval | `x` |
| `heat-map` | a field a row, by two parameters | `x`, `y` |
| `ladder` | a rung a row, and the factor at each step; with `against = "first"`, where the others are alternatives to the first rung, the factor to that | `rungs` |

Where the intervals of several lines would hide each other, `intervals = false` leaves them to the chart's table.
Lines of a percentile of latency over per cent of a server's capacity may have a formula beside them, drawn dashed:
`m-d-1 = "baseline, load_percent=50"` says whose `capacity`, and what is drawn is the percentile of a queue that has it (Poisson
arrivals, each request served in the same time).
Lines may have a `rug`: rows whose figures are values of `x`, drawn along its axis, as
`rug = [{ name = "reported", rows = "cache-sizes: reported" }]` draws the sizes of caches under a curve over sizes.

A machine that has a single field of a heat map has no map; where none has more, the figures stand in its place.

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

### `timeline`

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
"#;

/// `LANGUAGE.md`, made from the tables that read it.
pub fn language() -> String {
    let rows = DIRECTIVES.iter().map(|form| {
        let (form, becomes) = (form.form, form.becomes);
        format!("| `{{{{{form}}}}}` | {becomes} |\n")
    });
    format!("{BEGINNING}\n| directive | becomes |\n|---|---|\n{}{BLOCKS}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::BLOCK_KINDS;

    #[test]
    fn every_block_is_documented() {
        for (word, _) in BLOCK_KINDS {
            let heading = BLOCKS.lines().filter(|line| line.starts_with("### "));
            assert!(heading.into_iter().any(|line| line.contains(&format!("`{word}`"))), "{word}");
        }
    }

    #[test]
    fn the_language_is_documented_as_it_is_read() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/LANGUAGE.md");
        if std::env::var_os("UPDATE_LANGUAGE").is_some() {
            std::fs::write(file, language()).unwrap();
        }
        let written = std::fs::read_to_string(file).unwrap_or_default();
        assert_eq!(written, language(), "UPDATE_LANGUAGE=1 brings LANGUAGE.md up to date");
    }
}
