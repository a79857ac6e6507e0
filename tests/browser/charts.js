// What a chart draws: its traces, with the values that plotly.js holds and where their
// marks stand in the picture, and what its table lists.
(chart) => {
    const { _fullLayout: layout, _fullData: traces, calcdata } = chart;
    const box = chart.getBoundingClientRect();
    const plain = (values) => [...(values ?? [])].flatMap((value) =>
        Array.isArray(value) || ArrayBuffer.isView(value) ? [...value] : [value]);

    // The values at which the marks of a trace stand, by the place of the point, as pixels say.
    function marks(index, letter, along, across) {
        const group = calcdata[index][0].node3?.node();
        const found = [];
        for (const mark of group?.querySelectorAll("path.point, g.point > path") ?? []) {
            const datum = mark.__data__ ?? mark.parentElement.__data__;
            const rect = mark.getBoundingClientRect();
            const isBar = traces[index].type === "bar";
            const horizontal = letter === "x";
            const start = horizontal ? box.left : box.top;
            const middle = horizontal ? (rect.left + rect.right) / 2 : (rect.top + rect.bottom) / 2;
            const end = horizontal ? rect.right : rect.top;
            const pixel = (isBar ? end : middle) - start - along._offset;
            const aside = horizontal
                ? (rect.top + rect.bottom) / 2 - box.top - across._offset
                : (rect.left + rect.right) / 2 - box.left - across._offset;
            const inside = pixel >= -1 && pixel <= along._length + 1 && aside >= -1 && aside <= across._length + 1;
            const visible = inside && rect.width > 0.5 && rect.height > 0.5
                && getComputedStyle(mark).visibility !== "hidden";
            const step = Math.abs(along.p2c(pixel + 1) - along.p2c(pixel - 1));
            found[datum.i ?? datum.index] = { value: along.p2c(pixel), step, visible };
        }
        return found;
    }

    const drawn = traces.map((trace, index) => {
        const { value = null, role = null, machine = null } = trace.meta ?? {};
        const letter = value ?? "y";
        const lines = calcdata[index][0].node3?.node()?.querySelectorAll("path, image") ?? [];
        const shape = [...lines].some((line) => {
            const { width, height } = line.getBoundingClientRect();
            return width > 0.5 || height > 0.5;
        });
        const error = trace[`error_${letter}`];
        const [x, y] = [layout[`xaxis${(trace.xaxis ?? "x").slice(1)}`], layout[`yaxis${(trace.yaxis ?? "y").slice(1)}`]];
        const [along, across] = letter === "x" ? [x, y] : [y, x];
        return {
            name: trace.name ?? "", type: trace.type, mode: trace.mode ?? "",
            value, role, machine, shape, across: plain(trace.x),
            ids: plain(trace.ids), values: plain(trace[letter]),
            plus: plain(error?.array), minus: plain(error?.arrayminus),
            marks: [...marks(index, letter, along, across)].map((mark) => mark ?? null),
        };
    });
    const figure = chart.closest("figure");
    const rows = [...figure.querySelectorAll(".measured-table tr[data-contender]")].map((row) => ({
        contender: row.dataset.contender,
        measured: !row.textContent.includes("not measured"),
    }));
    const meta = layout.meta ?? {};
    const note = chart.nextElementSibling.textContent;
    return { id: figure.id, note, chapter: meta.chapter ?? null, divisor: meta.divisor ?? null, traces: drawn, table: rows };
}
