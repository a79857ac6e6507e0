// What is wider than the window and cannot be scrolled within a box of its own.
(() => {
    const root = document.documentElement;
    const found = root.scrollWidth > root.clientWidth ? [`the page: ${root.scrollWidth} of ${root.clientWidth}`] : [];
    const scrolls = (element) => element && element !== document.body
        && (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    for (const element of document.querySelectorAll("main *")) {
        const { right, width } = element.getBoundingClientRect();
        if (width > 0 && right > root.clientWidth + 1 && !scrolls(element.parentElement) && !element.closest("svg")) {
            found.push(`<${element.localName} class="${element.className}"> ${Math.round(right)} of ${root.clientWidth}`);
        }
    }
    return found.slice(0, 5);
})()
