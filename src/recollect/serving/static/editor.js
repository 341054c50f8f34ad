// Editing a translation in place.

import { element } from "./elements.js";

/** Open an editor in a row; resolve to {text, onward} when it is saved, to null when it is left. */
export function edit(row, { select = null } = {}) {
  const before = row.sentence.text ?? "";
  const hint = element("p", { class: "hint", id: "editing" }, ...keys());
  const field = element("textarea", {
    class: "editor",
    lang: row.session.languages[1],
    "aria-label": `Translation of sentence ${row.number}`,
    "aria-describedby": "editing",
    rows: "1",
    spellcheck: "true",
  });
  field.value = before;
  row.editing = true;
  row.element.classList.add("editing");
  row.target.replaceChildren(field, hint);
  field.focus();
  if (select) field.setSelectionRange(select.start, select.end);
  else field.setSelectionRange(before.length, before.length);
  fit(field);
  return new Promise((resolve) => {
    let left = false;
    const leave = (result) => {
      if (left) return;
      left = true;
      row.editing = false;
      row.element.classList.remove("editing");
      row.update();
      resolve(result);
    };
    field.addEventListener("input", () => fit(field));
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return; // Enter belongs to the input method
      if (event.key === "Escape") leave(null);
      else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        leave({ text: field.value.trim(), onward: event.ctrlKey || event.metaKey });
      }
    });
    // Going elsewhere keeps what was typed; to lose it takes the escape key.
    field.addEventListener("blur", () => leave({ text: field.value.trim(), onward: false, elsewhere: true }));
  });
}

function keys() {
  const key = (name) => element("kbd", {}, name);
  return [key("Enter"), " saves, ", key("Ctrl Enter"), " confirms and goes on, ", key("Esc"), " leaves it as it was"];
}

function fit(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
