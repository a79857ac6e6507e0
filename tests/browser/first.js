// Notes when the first chart has been painted: in the frame after the one that found it drawn.
(() => {
    const look = () => {
        const chart = document.querySelector(".plotly-graph-div");
        const isDrawn = chart?.querySelector(".main-svg :is(.trace path, .heatmaplayer image)")
            && ("views" in chart.dataset ? chart.dataset.drawn === "yes" : true);
        requestAnimationFrame(isDrawn ? () => { window.firstChart = performance.now(); } : look);
    };
    requestAnimationFrame(look);
})();
