// Instead of the print dialogue, notes what would be printed.
window.print = () => {
    dispatchEvent(new Event("beforeprint"));
    const charts = [...document.querySelectorAll(".plotly-graph-div")];
    window.printed = {
        charts: charts.map((chart) => chart.closest("figure").id),
        undrawn: charts
            .filter((chart) => chart.dataset.drawn !== "yes"
                || !chart.querySelector(".main-svg .trace path"))
            .map((chart) => chart.closest("figure").id),
        folded: document.querySelectorAll(".measured-table:not([open])").length,
    };
};
