// What a control is: its name, what it is like, and whether the keyboard may stop at it.
(control) => ({
    name: `${control.localName} ${control.textContent.trim()}`,
    element: control.localName,
    kind: [control, control.parentElement].map((element) => `${element.localName}.${element.className}`).join(" in "),
    stops: control.tabIndex >= 0 && control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]"),
})
