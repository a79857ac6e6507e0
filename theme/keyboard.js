// What mdBook and some browsers keep from the keyboard and from screen readers.
"use strict";
(() => {
    // mdBook's label that opens the sidebar becomes a button.
    const label = document.getElementById("mdbook-sidebar-toggle");
    label?.setAttribute("role", "button");
    label?.setAttribute("tabindex", "0");
    label?.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        label.click();
    });

    // A table or a listing that is wider than its place takes the focus, and the arrow keys scroll it.
    const scrolls = new ResizeObserver((entries) => {
        for (const { target } of entries) {
            if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
            else target.removeAttribute("tabindex");
        }
    });
    for (const element of document.querySelectorAll("main .table-wrapper, main pre > code")) {
        scrolls.observe(element);
        // mdBook would leave the page.
        element.addEventListener("keydown", (event) => {
            if (event.target === element) event.stopPropagation();
        });
    }
})();
