// What tells one view of a chart from another: its axes, and the rows and values of its traces.
({ data, layout }) => JSON.stringify([
    layout.xaxis?.type === "log", layout.yaxis?.type === "log",
    data.map(({ type, ids, meta, x, y, z }) => [type, ids, meta?.machine, x, y, z]),
])
