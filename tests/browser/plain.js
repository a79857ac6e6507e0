// What is to be seen where no script runs.
(() => {
    const isVisible = (element) => element.getClientRects().length > 0 && element.offsetHeight > 0;
    return {
        letters: (document.querySelector("main") ?? document.body).innerText.length,
        tables: [...document.querySelectorAll("details.measured-table")].filter(isVisible).length,
        folded: document.querySelectorAll("details.measured-table:not([open])").length,
        boxes: [...document.querySelectorAll(".plotly-graph-div")]
            .filter((chart) => !isVisible(chart) || !chart.querySelector(".measured-still path[style]"))
            .map((chart) => chart.closest("figure").id),
        buttons: [...document.querySelectorAll("main .measured-views button")].filter(isVisible).length,
    };
})()
