// Draws the charts of mdbook-measured: loads plotly.js when the first one comes near the view, takes
// colours from the theme, offers the other scale and the other machines, folds what stands open
// where no script runs, holds guesses against the answers, adds up bills, and filters what others
// said.
"use strict";
(() => {
    // The page for printing is made of all pages, and each of them brings this script.
    if (window.measured) return;
    window.measured = {
        // What the script of a chart calls, with the chart's views. No request for data would be
        // answered where a book is opened as a file; scripts are loaded there, too.
        views: (views) => { document.currentScript.views = views; },
    };

    // Below this width, in pixels, there is no room for names beside lines.
    const NARROW = 560;

    const scripts = new Map();
    let printing = false;

    // The element of a script that has run.
    function load(url) {
        if (!scripts.has(url)) {
            scripts.set(url, new Promise((resolve, reject) => {
                const script = document.createElement("script");
                script.src = url;
                script.onload = () => resolve(script);
                script.onerror = () => {
                    // The next time it may be there.
                    scripts.delete(url);
                    reject(new Error(`${url} cannot be loaded`));
                };
                document.head.append(script);
            }));
        }
        return scripts.get(url);
    }

    // --- Colours

    // mdBook's themes give text, lines and background; paper is white.
    function theme() {
        const page = getComputedStyle(document.documentElement);
        return {
            isDark: !printing && page.colorScheme === "dark",
            background: printing ? "rgb(255, 255, 255)" : page.backgroundColor,
            text: printing ? "rgb(0, 0, 0)" : page.color,
            lines: printing ? "rgb(200, 200, 200)" : page.getPropertyValue("--table-border-color").trim(),
            family: getComputedStyle(document.body).fontFamily,
        };
    }

    function dressed(view, width) {
        const { isDark, background, text, lines, family } = theme();
        // A view has each colour for light themes, and behind it that for dark ones.
        const { data, layout, config } = JSON.parse(
            JSON.stringify(view).replace(/(#[0-9a-f]{6})(#[0-9a-f]{6})/g, isDark ? "$2" : "$1"),
        );
        if (width < NARROW) Object.assign(layout, layout.meta?.narrow);
        layout.font = { ...layout.font, color: text, family };
        layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
        layout.hoverlabel = { bgcolor: background, bordercolor: text, font: { color: text } };
        for (const axis of ["xaxis", "yaxis"]) {
            layout[axis] = { ...layout[axis], gridcolor: lines, linecolor: lines, zerolinecolor: lines };
        }
        // The whiskers of a bar lie half on the bar and half on the page.
        for (const trace of data) {
            if (trace.type === "bar" && trace.error_x) trace.error_x.color = text;
        }
        return { data, layout, config };
    }

    // --- Charts

    class Chart {
        constructor(element) {
            this.element = element;
            // What a reader can choose from; there is a view for each machine on each scale.
            const choices = (of) => of.split("|").map(decodeURIComponent);
            this.choices = { machines: choices(element.dataset.machines), scales: choices(element.dataset.scales) };
            this.shown = { machines: 0, scales: 0 };
            this.wasNarrow = undefined;
            this.addButtons();
            // Only whether there is room for names; plotly.js itself follows the width.
            new ResizeObserver(() => {
                const isNarrow = element.clientWidth < NARROW;
                if (this.drawn && isNarrow !== this.wasNarrow) this.draw();
            }).observe(element);
        }

        async draw() {
            const { element } = this;
            this.drawn = true;
            try {
                const [{ views }] = await Promise.all(
                    [element.dataset.views, element.dataset.plotly].map((file) => load(path_to_root + file)),
                );
                this.wasNarrow = element.clientWidth < NARROW;
                const { machines, scales } = this.shown;
                const view = views[machines * this.choices.scales.length + scales];
                const { data, layout, config } = dressed(view, element.clientWidth);
                // Whose figures these are stands below the picture.
                element.nextElementSibling.textContent = view.note;
                // Views have as many rows as their machine has measured, and plotly.js keeps the height that it has.
                // The height is computed: asking for it would lay out all of print.html again for each chart.
                element.style.height = `${view.height}em`;
                layout.height = view.height * Number.parseFloat(getComputedStyle(element).fontSize);
                await window.Plotly.react(element, data, layout, config);
                element.querySelector(".measured-still")?.remove();
                element.dataset.drawn = "yes";
            } catch (error) {
                // The table stands open then, and says the same.
                element.dataset.drawn = "failed";
                element.textContent = `The chart cannot be drawn: ${error.message}`;
                element.classList.add("measured-undrawn");
                const table = element.parentElement.querySelector(".measured-table");
                if (table) table.open = true;
            }
        }

        // A group of buttons for each thing in which the views differ.
        addButtons() {
            const bar = document.createElement("div");
            bar.className = "measured-views";
            for (const [key, label] of [["machines", "Machine"], ["scales", "Scale"]]) {
                const values = this.choices[key];
                if (values.length < 2) continue;
                const group = document.createElement("div");
                group.setAttribute("role", "group");
                group.setAttribute("aria-label", label);
                for (const [at, value] of values.entries()) {
                    const button = document.createElement("button");
                    button.type = "button";
                    button.textContent = value;
                    button.setAttribute("aria-pressed", at === this.shown[key]);
                    button.addEventListener("click", () => {
                        this.shown[key] = at;
                        for (const other of group.children) {
                            other.setAttribute("aria-pressed", other === button);
                        }
                        this.draw();
                    });
                    group.append(button);
                }
                bar.append(group);
            }
            if (bar.children.length > 0) this.element.before(bar);
        }
    }

    // --- Intervals beside the figures in the text

    const REMEMBERED = "measured-intervals";

    function addIntervalButton() {
        const menu = document.querySelector("#mdbook-menu-bar .right-buttons");
        if (!menu || !document.querySelector("main .measured-number")) return;
        const button = document.createElement("button");
        button.type = "button";
        button.className = "icon-button measured-switch";
        button.textContent = "±";
        button.title = button.ariaLabel = "Show the interval of every figure";
        const show = (on) => {
            document.documentElement.classList.toggle("measured-with-intervals", on);
            button.setAttribute("aria-pressed", on);
        };
        let remembered = null;
        try { remembered = localStorage.getItem(REMEMBERED); } catch { /* no storage, no memory */ }
        show(remembered === "yes");
        button.addEventListener("click", () => {
            const on = button.getAttribute("aria-pressed") !== "true";
            show(on);
            try { localStorage.setItem(REMEMBERED, on ? "yes" : "no"); } catch { /* as above */ }
        });
        menu.prepend(button);
    }

    // --- Guesses beside the answers

    // How far off a guess at a figure is.
    function howFarOff(guess, { measured, low, high }, isNearest) {
        if (low <= guess && guess <= high) return "which lies in the interval.";
        const factor = Math.max(guess / measured, measured / guess);
        const words = Number(factor.toPrecision(factor < 1.1 ? 3 : 2)).toLocaleString("en");
        return `too ${guess > measured ? "high" : "low"} by a factor of ${words}`
            + (isNearest ? "; no other choice is nearer." : ".");
    }

    // Says below the answer to a question what is to be said of the guess, which is read when the answer is open.
    function compareGuess(question) {
        const [measured, low, high] = question.dataset.measured?.split(" ").map(Number) ?? [];
        const said = document.createElement("p");
        said.setAttribute("role", "status");
        question.querySelector("details").append(said);
        const compare = () => {
            const chosen = question.querySelector("input:checked");
            if (!chosen) return;
            const label = chosen.parentElement;
            const isRight = label.classList.contains("measured-right");
            said.textContent = `You guessed ${label.textContent.trim()}, ` + (measured
                ? howFarOff(Number(chosen.value), { measured, low, high }, isRight)
                : isRight ? "which is right." : "which is not it.");
        };
        question.addEventListener("change", compare);
        // What the browser has kept of an earlier visit.
        compare();
        // The arrow keys go through the choices here, where mdBook would leave the page.
        question.addEventListener("keydown", (event) => event.stopPropagation());
    }

    // --- What became of what others said, by source and by outcome

    function addFilters(ledger) {
        const sections = [...ledger.querySelectorAll("section")];
        const entries = sections.flatMap((section) => [...section.querySelectorAll("tbody tr")].map((row) => ({
            row, section, source: section.querySelector("h2").textContent.trim(), outcome: row.dataset.outcome,
        })));
        const bar = document.createElement("div");
        bar.className = "measured-filters";
        const shown = document.createElement("span");
        shown.setAttribute("role", "status");
        const choices = [["source", "Source"], ["outcome", "What became of it"]].map(([key, words]) => {
            const [label, select] = ["label", "select"].map((name) => document.createElement(name));
            select.append(new Option("all", ""));
            for (const value of new Set(entries.map((entry) => entry[key]))) {
                const count = entries.filter((entry) => entry[key] === value).length;
                select.append(new Option(`${value} (${count})`, value));
            }
            label.append(`${words} `, select);
            bar.append(label);
            return [key, select];
        });
        const filter = () => {
            for (const entry of entries) {
                entry.row.hidden = !choices.every(([key, { value }]) => !value || entry[key] === value);
            }
            for (const section of sections) {
                section.hidden = entries.every((entry) => entry.section !== section || entry.row.hidden);
            }
            const count = entries.filter(({ row }) => !row.hidden).length;
            shown.textContent = `${count} of ${entries.length}`;
        };
        bar.append(shown);
        bar.addEventListener("change", filter);
        // The arrow keys choose here, where mdBook would leave the page.
        bar.addEventListener("keydown", (event) => event.stopPropagation());
        // What the browser has kept of an earlier visit.
        filter();
        ledger.prepend(bar);
    }

    // --- A bill of a reader's own request

    // Digits as the page's own figures have them: measurement/src/number_format.rs.
    const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
    const magnitude = (value) => value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));

    function digits(value, decimals) {
        if (value === 0) return "0";
        const place = 10 ** -decimals;
        const rounded = decimals < 0 ? Math.round(value / place) * place : value;
        const [whole, rest] = rounded.toFixed(Math.max(decimals, 0)).split(".");
        return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
    }

    // A time with its interval; what was measured in one run has none.
    function timeInWords([estimate, low, high]) {
        const [divisor, unit] = TIMES.find(([divisor]) => Math.abs(estimate) >= divisor) ?? TIMES[3];
        const scaled = estimate / divisor;
        const half = (high - low) / 2 / divisor || 0;
        const three = 2 - magnitude(scaled);
        const whole = scaled % 1 === 0 ? 0 : three;
        const decimals = half <= 0 ? whole : Math.max(Math.min(three, -magnitude(half / 5)), -magnitude(scaled));
        const figure = `${digits(scaled, decimals)} ${unit}`;
        if (Number.isNaN(low)) return `${figure} (one run)`;
        if (high - low <= 1e-9 * Math.abs(estimate)) return figure;
        const [from, to] = [low, high].map((end) => {
            const value = end / divisor;
            const vanishes = value !== 0 && Math.abs(value) < 10 ** -decimals / 2;
            return digits(value, vanishes ? -magnitude(value) : decimals);
        });
        return `${figure} (${from} to ${to} ${unit})`;
    }

    // What counts come to at these prices: the sum, whose ends are the sums of the ends, each part, and the place of
    // the largest; or the place of a count without a price.
    function total(counts, prices) {
        const sum = [0, 0, 0];
        const parts = [];
        let most;
        for (const [place, count] of counts.entries()) {
            if (count === 0) continue;
            if (!prices[place]) return { lacking: place };
            parts[place] = prices[place].map((end) => count * (end ?? NaN));
            parts[place].forEach((end, at) => { sum[at] += end; });
            if (most === undefined || parts[place][0] > parts[most][0]) most = place;
        }
        return { sum, parts, most };
    }

    // Above that a count is a slip of the hand.
    const MOST_COUNTED = 1e9;

    // The number that was typed, 0 for nothing, or a sentence on why it is none.
    function counted(text) {
        const typed = text.trim();
        const isNumber = /^[-+]?[\d.]*(e[-+]?\d+)?$/i.test(typed);
        const number = isNumber ? Number(typed) : NaN;
        if (Number.isNaN(number)) return `“${typed}” is no number: write it as 2048 or 0.5.`;
        if (number < 0) return `“${typed}” is below nothing.`;
        if (number > MOST_COUNTED) return `“${typed}” is more than a billion, which no request does.`;
        return number;
    }

    function addBill(place) {
        const { models, terms, machines, examples } = JSON.parse(place.dataset.bill);
        const make = (name, attributes, ...children) => {
            const element = Object.assign(document.createElement(name), attributes);
            element.append(...children);
            return element;
        };
        const choice = (options) => make("select", { autocomplete: "off" }, ...options.map((name, at) => new Option(name, at)));
        const input = () => make("input", { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
        const example = choice(examples.map(([name]) => name));
        const machine = choice(machines.map(({ name }) => name));
        const inputs = terms.map(input);
        const often = input();
        const labelled = (words, control) => make("label", {}, make("span", { textContent: words }), control);
        // Said when it changes; the parts of it are read when a reader goes there.
        const said = make("output");
        said.setAttribute("aria-live", "polite");
        const parts = make("div", { className: "table-wrapper" });
        const form = make(
            "form", { className: "measured-counts" },
            make("div", {}, labelled("Begin with", example), labelled("Prices of", machine)),
            make(
                "fieldset", {}, make("legend", { textContent: "One request has" }),
                ...terms.map(({ what }, at) => labelled(what, inputs[at])),
            ),
            make("div", {}, labelled("Requests per second, if you like", often)),
            said, parts,
        );

        const add = () => {
            const counts = [...inputs, often].map((field) => {
                const count = counted(field.value);
                field.setAttribute("aria-invalid", typeof count === "string");
                return count;
            });
            const wrong = counts.flatMap((count, at) => typeof count === "string"
                ? [make("p", { textContent: `${terms[at]?.what ?? "requests per second"}: ${count}` })]
                : []);
            parts.replaceChildren();
            if (wrong.length > 0) {
                said.replaceChildren(...wrong);
                return;
            }
            const rate = counts.pop();
            const { prices } = machines[machine.value];
            const bills = models.map((_, model) => total(counts, prices.map((of) => of[Math.min(model, of.length - 1)])));
            said.replaceChildren(...bills.map((bill, model) => {
                const line = make("p", {}, make("b", { textContent: `${models[model]}: ` }));
                if (bill.lacking !== undefined) {
                    line.append(`${machines[machine.value].name} has no price for ${terms[bill.lacking].what}.`);
                    return line;
                }
                line.append(make("span", { textContent: timeInWords(bill.sum) }));
                if (bill.most !== undefined) {
                    const share = bill.parts[bill.most][0] / bill.sum[0];
                    line.append(`, most of it: ${terms[bill.most].what}, ${(100 * share).toFixed(0)} %`);
                }
                if (rate > 0) {
                    line.append(`. In each second: ${timeInWords(bill.sum.map((end) => rate * end))}`);
                }
                return line;
            }));
            const head = (words, scope) => make("th", { scope }, words);
            const rows = terms.flatMap(({ what, href }, at) => counts[at] === 0 ? [] : [make(
                "tr", {}, head(href ? make("a", { href, textContent: what }) : what, "row"),
                make("td", { textContent: String(counts[at]) }),
                ...bills.map(({ parts }) => make("td", { textContent: parts ? timeInWords(parts[at]) : "–" })),
            )]);
            if (rows.length > 0) {
                parts.append(make(
                    "table", {},
                    make("thead", {}, make("tr", {}, ...["part", "count", ...models].map((words) => head(words, "col")))),
                    make("tbody", {}, ...rows),
                ));
            }
        };
        const begin = () => {
            const [, counts] = examples[example.value];
            for (const [at, field] of inputs.entries()) field.value = counts[at] || "";
            add();
        };
        example.addEventListener("change", begin);
        form.addEventListener("input", ({ target }) => { if (target !== example) add(); });
        form.addEventListener("submit", (event) => event.preventDefault());
        // The arrow keys belong to the fields here, where mdBook would leave the page.
        form.addEventListener("keydown", (event) => event.stopPropagation());
        begin();
        place.prepend(form);
    }

    // --- Claims

    // A link to a claim opens the fold that it lies in, which not every browser does by itself.
    function openTarget() {
        // A fragment that is no id, such as `#%`, is none of ours.
        if (!/^#[\w.-]+$/.test(location.hash)) return;
        const target = document.getElementById(location.hash.slice(1));
        const fold = target?.closest(".measured-claims");
        if (!fold) return;
        fold.open = true;
        target.scrollIntoView();
    }

    // --- The page

    function start() {
        const elements = [...document.querySelectorAll(".plotly-graph-div[data-views]")];
        const charts = new Map(elements.map((element) => [element, new Chart(element)]));
        const drawAll = () => Promise.all([...charts.values()].map((chart) => chart.draw()));
        const tables = document.querySelectorAll(".measured-table");
        let openBefore = [];
        addIntervalButton();
        document.querySelectorAll(".measured-predict fieldset").forEach(compareGuess);
        document.querySelectorAll(".measured-ledger").forEach(addFilters);
        document.querySelectorAll(".measured-bill").forEach(addBill);
        openTarget();
        window.addEventListener("hashchange", openTarget);

        new MutationObserver(() => {
            for (const chart of charts.values()) if (chart.drawn) chart.draw();
        }).observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });

        // plotly.js may have to be loaded for paper, too, for which the event does not wait: so
        // printing waits. What cannot wait, a browser's own menu, prints still pictures.
        const print = window.print.bind(window);
        window.print = async () => {
            printing = true;
            await drawAll();
            print();
        };
        window.addEventListener("keydown", (event) => {
            if (event.key?.toLowerCase() === "p" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
                event.preventDefault();
                window.print();
            }
        });
        window.addEventListener("beforeprint", () => {
            printing = true;
            openBefore = [...tables].filter((table) => table.open);
            for (const table of tables) table.open = true;
            if (window.Plotly) drawAll();
        });
        window.addEventListener("afterprint", () => {
            printing = false;
            for (const table of tables) table.open = openBefore.includes(table);
            for (const chart of charts.values()) if (chart.drawn) chart.draw();
        });

        // On mdBook's page for printing the tables stay open, and it calls print by itself.
        if (document.querySelector('meta[name="robots"][content="noindex"]')) {
            for (const table of tables) table.classList.add("measured-foldable");
            return;
        }

        for (const table of tables) {
            table.open = false;
            table.classList.add("measured-foldable");
        }
        const near = new IntersectionObserver((entries) => {
            for (const entry of entries) {
                if (!entry.isIntersecting) continue;
                near.unobserve(entry.target);
                charts.get(entry.target).draw();
            }
        }, { rootMargin: "600px" });
        elements.forEach((element) => near.observe(element));
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
})();
