// What has the focus.
(() => {
    const focused = document.activeElement;
    const place = CONTROLS.indexOf(focused);
    const { outlineStyle, boxShadow } = getComputedStyle(focused);
    return {
        place: place < 0 ? null : place,
        visible: focused.matches(":focus-visible") && (outlineStyle !== "none" || boxShadow !== "none"),
        left: focused === document.body,
    };
})()
