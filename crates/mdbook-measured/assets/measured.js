// Draws the charts of mdbook-measured: loads plotly.js when the first one comes near the view, takes
// colours from the theme, and folds the tables that stand open where no script runs.
"use strict";
(() => {
    let plotly;

    function load(url) {
        plotly ??= new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = () => resolve(window.Plotly);
            script.onerror = () => reject(new Error(`${url} cannot be loaded`));
            document.head.append(script);
        });
        return plotly;
    }

    // mdBook's themes give text, lines and background; a chart has no background of its own.
    function themed() {
        const style = getComputedStyle(document.documentElement);
        const text = style.getPropertyValue("--fg").trim() || "#000";
        const lines = style.getPropertyValue("--table-border-color").trim() || "#888";
        const page = style.getPropertyValue("--bg").trim() || "#fff";
        const axis = (name) => ({
            [`${name}.gridcolor`]: lines,
            [`${name}.linecolor`]: lines,
            [`${name}.zerolinecolor`]: lines,
        });
        return {
            "font.color": text,
            "font.family": getComputedStyle(document.body).fontFamily,
            paper_bgcolor: "rgba(0,0,0,0)",
            plot_bgcolor: "rgba(0,0,0,0)",
            "hoverlabel.bgcolor": page,
            "hoverlabel.font.color": text,
            ...axis("xaxis"),
            ...axis("yaxis"),
        };
    }

    // The whiskers of a bar lie half on the bar and half on the page, so they take the text's colour.
    async function dress(element) {
        const layout = themed();
        await window.Plotly.relayout(element, layout);
        const bars = [...element.data.keys()].filter((index) => element.data[index].type === "bar");
        if (bars.length > 0) {
            await window.Plotly.restyle(element, { "error_x.color": layout["font.color"] }, bars);
        }
    }

    async function draw(element) {
        if (element.dataset.drawn) return;
        element.dataset.drawn = "yes";
        const table = element.parentElement.querySelector(".measured-table");
        try {
            const Plotly = await load(element.dataset.plotly);
            const plot = JSON.parse(element.dataset.plot);
            await Plotly.newPlot(element, plot.data, plot.layout, plot.config);
            await dress(element);
        } catch (error) {
            // The table stands open then, and says the same.
            element.textContent = `The chart cannot be drawn: ${error.message}`;
            element.classList.add("measured-undrawn");
            if (table) table.open = true;
        }
    }

    function start() {
        const charts = [...document.querySelectorAll(".plotly-graph-div[data-plot]")];
        const drawAll = () => Promise.all(charts.map(draw));
        for (const table of document.querySelectorAll(".measured-table")) table.open = false;

        if ("IntersectionObserver" in window) {
            const near = new IntersectionObserver((entries) => {
                for (const entry of entries) {
                    if (!entry.isIntersecting) continue;
                    near.unobserve(entry.target);
                    draw(entry.target);
                }
            }, { rootMargin: "600px" });
            charts.forEach((chart) => near.observe(chart));
        } else {
            drawAll();
        }

        new MutationObserver(() => {
            for (const chart of charts) {
                if (chart.dataset.drawn && window.Plotly) dress(chart);
            }
        }).observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });

        window.addEventListener("beforeprint", () => {
            for (const table of document.querySelectorAll(".measured-table")) table.open = true;
            drawAll();
        });
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
})();
