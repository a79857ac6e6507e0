// The names of the controls that the keyboard skips, that take no focus, or that do not show that they have it. Asked
// after a key has been pressed, so that a focus is one that shows.
CONTROLS.filter((control) => {
    control.focus({ preventScroll: true });
    const { outlineStyle, boxShadow } = getComputedStyle(control);
    const shows = control.matches(":focus-visible") && (outlineStyle !== "none" || boxShadow !== "none");
    return control.tabIndex !== 0 || document.activeElement !== control || !shows;
}).map((control) => `${control.localName} ${control.textContent.trim()}`)
