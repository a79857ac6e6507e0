// What a control is: its name, and its kind, which is its element and classes, and those and the label of its parent.
(control) => {
    const { parentElement: parent } = control;
    return {
        name: `${control.localName} ${control.textContent.trim()}`,
        element: control.localName,
        kind: [control.localName, control.className, parent.localName, parent.className, parent.ariaLabel ?? ""].join("|"),
    };
}
