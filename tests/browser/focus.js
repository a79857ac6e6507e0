// What has the focus.
(() => {
    const focused = document.activeElement;
    const place = CONTROLS.indexOf(focused);
    return {
        place: place < 0 ? null : place,
        visible: (SHOWS)(focused),
        left: focused === document.body,
    };
})()
