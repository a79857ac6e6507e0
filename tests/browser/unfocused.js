// The places of the controls that the keyboard skips, that take no focus, or that do not show that they have it. Asked
// after a key has been pressed, so that a focus is one that shows.
CONTROLS.flatMap((control, place) => {
    control.focus({ preventScroll: true });
    const isSeen = control.tabIndex === 0 && document.activeElement === control && (SHOWS)(control);
    return isSeen ? [] : [place];
})
