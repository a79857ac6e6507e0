// Whether it can be seen that an element has the focus.
(element) => {
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    return element.matches(":focus-visible") && (outlineStyle !== "none" || boxShadow !== "none");
}
