// What is wider than its place, but for what scrolls in a box of its own within the text.
(() => {
    const found = [];
    const main = document.querySelector("main");
    for (let at = main; at; at = at.parentElement) {
        if (at.scrollWidth > at.clientWidth + 1) {
            found.push(`<${at.localName} id="${at.id}"> ${at.scrollWidth} in ${at.clientWidth}`);
        }
    }
    const scrolls = (element) => element !== main
        && (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const edge = document.documentElement.clientWidth;
    for (const element of main.querySelectorAll("*")) {
        const { right, width } = element.getBoundingClientRect();
        if (width > 0 && right > edge + 1 && !scrolls(element.parentElement) && !element.closest("svg")) {
            found.push(`<${element.localName} class="${element.className}"> ${Math.round(right)} of ${edge}`);
        }
    }
    return found.slice(0, 5);
})()
