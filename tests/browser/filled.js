// Whether every drawing is as wide as its place.
[...document.querySelectorAll(".plotly-graph-div[data-drawn=yes]")].every((chart) => {
    const drawing = chart.querySelector(".main-svg");
    return drawing && Math.abs(drawing.getBoundingClientRect().width - chart.clientWidth) < 1;
})
