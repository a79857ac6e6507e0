// Scrolls to each chart of the page until it is drawn, as a reader would. Gives the ids of those that
// are not drawn in time or cannot be.
(async () => {
    const undrawn = [];
    for (const chart of document.querySelectorAll(".plotly-graph-div")) {
        for (let at = chart.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
        chart.scrollIntoView({ block: "center", behavior: "instant" });
        const deadline = performance.now() + 10_000;
        while (!chart.dataset.drawn && performance.now() < deadline) {
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
        if (chart.dataset.drawn !== "yes") {
            undrawn.push(`${chart.closest("figure")?.id}: ${chart.dataset.drawn ?? "not in time"}`);
        }
    }
    return undrawn;
})()
