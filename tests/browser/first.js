// Notes when the first chart can be seen, and when plotly.js has drawn it: in the frame after the one
// that found it so.
(() => {
    const note = (name, isSo) => {
        const look = () => requestAnimationFrame(isSo(document.querySelector(".plotly-graph-div"))
            ? () => { window[name] = performance.now(); } : look);
        look();
    };
    const drawn = ".main-svg :is(.trace path, .heatmaplayer image)";
    note("firstChart", (chart) => chart?.querySelector(`.measured-still path[style], ${drawn}`));
    note("firstDrawn", (chart) => chart?.querySelector(drawn));
})();
