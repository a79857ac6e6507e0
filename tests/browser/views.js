// The views of a chart, each by what drawn.js tells it from another.
(chart) => [...new Set(JSON.parse(chart.dataset.views).map(({ plot }) => JSON.stringify([
    plot.layout.xaxis?.type === "log", plot.layout.yaxis?.type === "log",
    plot.data.map(({ type, ids, meta, x, y, z }) => [type, ids, meta?.machine, x, y, z]),
])))]
