// Editing a translation in place.

import { element } from "./elements.js";

/** Open an editor in a row; resolve to {text, onward} when it is saved, to null when it is left. */
export function edit(row, { select, draft }) {
  const before = row.sentence.text ?? "";
  const field = element("textarea", {
    class: "editor",
    lang: row.session.languages[1],
    "aria-label": `Translation of sentence ${row.number}`,
    rows: "1",
    spellcheck: "true",
  });
  field.value = draft ?? before;
  return new Promise((resolve) => {
    const saved = (more) => ({ text: field.value.trim(), ...more });
    const leave = (result) => {
      if (!row.editing) return; // taking the field away is a blur too
      row.editing = false;
      row.element.classList.remove("editing");
      row.update({ anew: true });
      resolve(result);
    };
    const save = () => leave(saved({ onward: false }));
    const goOn = () => leave(saved({ onward: true }));
    const cancel = () => leave(null);
    const ways = element(
      "p",
      { class: "ways" },
      way("Save", "Enter", save),
      way("Confirm, next", "Ctrl Enter", goOn),
      way("Cancel", "Esc", cancel),
    );
    field.addEventListener("input", () => fit(field));
    row.editing = true;
    row.element.classList.add("editing");
    row.target.replaceChildren(field, ways);
    row.target.onkeydown = (event) => {
      if (event.key !== "F6") event.stopPropagation(); // keys mean letters here
      if (event.isComposing) return; // Enter belongs to the input method
      if (event.key === "Escape") cancel();
      else if (event.key === "Enter" && !event.shiftKey && event.target === field) {
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) goOn();
        else save();
      }
    };
    // Going elsewhere keeps what was typed; to lose it takes the escape key.
    row.target.onfocusout = ({ relatedTarget }) => {
      if (!row.target.contains(relatedTarget)) leave(saved({ onward: false, elsewhere: true }));
    };
    field.focus();
    field.setSelectionRange(select?.start ?? field.value.length, select?.end ?? field.value.length);
    fit(field);
  }).finally(() => (row.target.onkeydown = row.target.onfocusout = null));
}

function way(name, key, act) {
  return element("button", { type: "button", class: "small", click: act }, `${name} `, element("kbd", {}, key));
}

function fit(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
