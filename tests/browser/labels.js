// The boxes of all visible texts of a chart, relative to its own.
(chart) => {
    const box = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll("svg text")].filter((text) => {
        const style = getComputedStyle(text);
        const { width, height } = text.getBoundingClientRect();
        return text.textContent.trim() && width > 0 && height > 0 && style.visibility !== "hidden"
            && Number(style.opacity) > 0 && !text.closest(".hoverlayer");
    });
    return {
        id: chart.closest("figure").id, width: box.width, height: box.height,
        texts: texts.map((text) => {
            const { left, top, right, bottom } = text.getBoundingClientRect();
            const { a, b } = text.getScreenCTM();
            const oblique = Math.min(Math.abs(a), Math.abs(b)) > 0.01;
            return {
                text: text.textContent.trim(), oblique,
                left: left - box.left, top: top - box.top, right: right - box.left, bottom: bottom - box.top,
            };
        }),
    };
}
