// What a page's calculator shows: how many its columns are of, and what each row's cells say, the last
// of them for as many as the reader has typed.
(() => {
    const calculator = document.querySelector(".measured-calculator");
    const input = calculator.querySelector("input");
    const said = (cell) => {
        const number = cell.cloneNode(true);
        number.querySelector(".measured-interval, .measured-open")?.remove();
        return number.textContent;
    };
    const heads = [...calculator.tHead.rows[0].cells].slice(1, input ? -1 : undefined);
    return {
        counts: heads.map((head) => head.textContent),
        rows: [...calculator.tBodies[0].rows].map((row) => ({
            kind: row.cells[0].textContent,
            totals: [...row.cells].slice(1).map(said),
        })),
    };
})()
