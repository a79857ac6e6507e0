// Contrast (WCAG 2) of what mdbook-measured puts into the page: every text of its elements and of the
// charts, and the charts' marks, each against what lies behind it.
(() => {
    const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    // The same function, which computes for each argument once.
    function once(compute) {
        const known = new Map();
        return (argument) => {
            if (!known.has(argument)) known.set(argument, compute(argument));
            return known.get(argument);
        };
    }
    // Any CSS colour as [red, green, blue, alpha].
    const rgba = once((colour) => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = "#000";
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    });
    const over = ([r, g, b, a], below) =>
        [r, g, b].map((channel, index) => channel * a + below[index] * (1 - a));
    const faded = ([r, g, b, a], opacity) => [r, g, b, a * opacity];
    function luminance(colour) {
        const [r, g, b] = colour.map((channel) => {
            const share = channel / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    function contrast(one, other) {
        const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
    }
    const opacity = once((element) =>
        element ? opacity(element.parentElement) * Number(getComputedStyle(element).opacity) : 1);

    // What lies behind an element: the backgrounds of what it stands in, the page's lowest.
    const behind = once((element) => element
        ? over(rgba(getComputedStyle(element).backgroundColor), behind(element.parentElement))
        : [255, 255, 255]);

    // What lies behind a text of a chart: also the bars, cells and frames that it is written on.
    function behindText(text, chart) {
        const rect = text.getBoundingClientRect();
        const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
        let below = behind(chart);
        for (const mark of chart.querySelectorAll(".bars .point > path, rect.bg")) {
            const box = mark.getBoundingClientRect();
            const holds = box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
            if (!holds || !(mark.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
            let colour;
            if (mark.tagName === "image") {
                const cells = new OffscreenCanvas(Math.ceil(box.width), Math.ceil(box.height)).getContext("2d");
                cells.drawImage(mark, 0, 0, box.width, box.height);
                const [r, g, b, a] = cells.getImageData(x - box.left, y - box.top, 1, 1).data;
                colour = [r, g, b, a / 255];
            } else {
                const style = getComputedStyle(mark);
                colour = style.fill.startsWith("url") ? rgba(style.color) : rgba(style.fill);
                colour = faded(colour, opacity(mark) * Number(style.fillOpacity));
            }
            below = over(colour, below);
        }
        return below;
    }

    const isVisible = (element) =>
        element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";
    const isLarge = ({ fontSize, fontWeight }) =>
        parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    const found = [];
    const put = (what, least, colour, below) =>
        found.push({ what, least, contrast: contrast(over(colour, below), below) });

    const within = [...document.querySelectorAll("main [class*='measured-']")]
        .flatMap((element) => [element, ...element.querySelectorAll("*")]);
    for (const element of new Set(within)) {
        const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
            .map((node) => node.textContent.trim()).join(" ").trim();
        if (!text || element.closest("svg") || !isVisible(element)) continue;
        const style = getComputedStyle(element);
        const below = behind(element);
        put(`<${element.localName} class="${element.className}"> ${text.slice(0, 40)}`,
            isLarge(style) ? 3 : 4.5, faded(rgba(style.color), opacity(element)), below);
    }
    for (const text of document.querySelectorAll(".measured-drawing text")) {
        const below = behind(text.closest("figure"));
        put(`drawing, text ${text.textContent.trim()}`, 4.5, rgba(getComputedStyle(text).fill), below);
    }
    for (const chart of document.querySelectorAll(".plotly-graph-div")) {
        const id = chart.closest("figure").id;
        for (const text of chart.querySelectorAll("svg text")) {
            if (!text.textContent.trim() || !isVisible(text) || text.closest(".hoverlayer")) continue;
            const style = getComputedStyle(text);
            const colour = faded(rgba(style.fill), opacity(text) * Number(style.fillOpacity));
            put(`${id}, text ${text.textContent.trim()}`, isLarge(style) ? 3 : 4.5, colour, behindText(text, chart));
        }
        for (const mark of chart.querySelectorAll(".trace .point path, .trace path.point, .trace path.js-line")) {
            const { trace } = mark.closest(".trace").__data__[0];
            // Bands and visits are faint: what they show stands there as a whisker or a mark as well.
            if (!isVisible(mark) || !trace.ids || trace.meta?.role === "visits") continue;
            const style = getComputedStyle(mark);
            const below = behind(chart);
            const paints = [["fill", "fillOpacity"], ["stroke", "strokeOpacity"]]
                .filter(([paint]) => style[paint] !== "none" && !style[paint].startsWith("url"))
                .map(([paint, alpha]) => faded(rgba(style[paint]), opacity(mark) * Number(style[alpha])));
            // A mark is seen by its fill or by its line, whichever stands out more.
            const seen = paints.sort((a, b) => contrast(over(b, below), below) - contrast(over(a, below), below))[0];
            if (seen) put(`${id}, mark of ${trace.name}`, 3, seen, below);
        }
        // A whisker lies half on its bar.
        for (const whisker of chart.querySelectorAll(".bars .errorbar path")) {
            const { trace } = whisker.closest(".trace").__data__[0];
            const bar = over(rgba(trace.marker.color), behind(chart));
            put(`${id}, whisker of ${trace.name}`, 3, rgba(getComputedStyle(whisker).stroke), bar);
        }
    }
    return found;
})()
