// What axe-core calls serious or critical: each rule with the first few of the elements that break it.
(async () => {
    document.querySelectorAll("main details").forEach((details) => { details.open = true; });
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    const first = ({ html, any, all, none }) => {
        const reason = [...any, ...all, ...none][0]?.message ?? "";
        return `${html.slice(0, 160)} (${reason})`;
    };
    return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, impact, help, nodes }) =>
            `${impact}, ${id}: ${help}, ${nodes.length} times: ${nodes.slice(0, 3).map(first).join("; ")}`);
})()
