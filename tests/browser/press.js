// Clicks on a button in each group of a chart's, and waits until what they ask for is painted. Gives
// which of the views that its script holds is drawn then, if any, and how many it has.
async (chart, buttons) => {
    // What tells one view from another: its axes, and the rows and values of its traces.
    const told = ({ data, layout }) => JSON.stringify([
        layout.xaxis?.type === "log", layout.yaxis?.type === "log",
        data.map(({ type, ids, meta, x, y, z }) => [type, ids, meta?.machine, x, y, z]),
    ]);
    const groups = chart.closest("figure").querySelectorAll(".measured-views [role=group]");
    for (const [group, at] of buttons.entries()) {
        const button = groups[group].querySelectorAll("button")[at];
        const wasPressed = button.getAttribute("aria-pressed") === "true";
        const before = told(chart);
        button.click();
        if (button.getAttribute("aria-pressed") !== "true") {
            throw new Error(`the button ${button.textContent} is pressed and does not say so`);
        }
        if (wasPressed) continue;
        const deadline = performance.now() + 5_000;
        while (told(chart) === before) {
            if (performance.now() > deadline) throw new Error(`the button ${button.textContent} changes nothing`);
            await new Promise((resolve) => setTimeout(resolve));
        }
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    // Read once a chart.
    chart.heldViews ??= fetch(path_to_root + chart.dataset.views)
        .then((reply) => reply.text())
        .then((script) => JSON.parse(script.slice(script.indexOf("["), script.lastIndexOf("]") + 1)))
        .then((held) => [...new Set(held.map(told))]);
    const views = await chart.heldViews;
    const view = views.indexOf(told(chart));
    return [view < 0 ? null : view, views.length];
}
