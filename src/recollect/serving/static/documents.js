// The list of one's documents: open one, begin another, delete one for good.

import { hasKey, request } from "./api.js";
import { byId, element } from "./elements.js";
import { icon } from "./icons.js";
import { complain, say } from "./status.js";
import { ago, counted } from "./wording.js";

// Without keys the server gives nobody a list, since whoever knows the id of a document may read it: this
// browser keeps a list of its own.
const KEPT = "recollect-documents";

export class Documents {
  constructor(leave) {
    this.leave = leave; // the open document
    this.list = byId("document-list");
    this.found = [];
    this.list.addEventListener("keydown", (event) => this.typed(event));
    addEventListener("storage", ({ key }) => {
      if (key !== KEPT || hasKey()) return;
      this.found = kept(); // another tab has kept something
      this.write();
    });
  }

  async load() {
    const found = await request("GET", "v1/sessions");
    this.found = hasKey() ? found : kept();
    this.write();
  }

  /** Note how a document stands: the open one, or one that was just made. */
  note({ id, name, sentences, changed }) {
    const title = name || sentences[0]?.source || "";
    this.keep((found) => [
      { id, name: title, sentences: sentences.length, changed },
      ...found.filter((each) => each.id !== id),
    ]);
  }

  /** A document that is no longer there is no longer listed. */
  drop(id) {
    this.keep((found) => found.filter((each) => each.id !== id));
  }

  /** Change the list, the newest first. What other tabs have kept meanwhile is part of it. */
  keep(change) {
    this.found = change(hasKey() ? this.found : kept()).sort((one, other) => other.changed - one.changed);
    if (!hasKey()) localStorage.setItem(KEPT, JSON.stringify(this.found));
    this.write();
  }

  /** Say which document is open. */
  mark(id) {
    this.open = id;
    this.write();
  }

  write() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.list.replaceChildren(...this.found.map((each) => this.line(each)));
    byId("no-documents").hidden = this.found.length > 0;
    if (focused) this.list.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  line({ id, name: given, sentences, changed }) {
    const open = id === this.open;
    const name = given || "Untitled"; // a program need not name what it sends
    return element(
      "li",
      { class: open ? "open" : "" },
      element(
        "a",
        { href: `#${id}`, "data-key": id, "aria-current": open ? "page" : null },
        element("span", { class: "name" }, name),
        element("span", { class: "quiet" }, `${counted(sentences, "sentence")}, ${ago(changed * 1000)}`),
      ),
      element(
        "button",
        { type: "button", class: "act", "aria-label": `Delete ${name}`, title: "Delete", click: () => this.ask(id, name) },
        icon("cross"),
      ),
    );
  }

  ask(id, name) {
    const dialog = byId("deleting");
    byId("deleting-name").textContent = name;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => dialog.returnValue === "delete" && this.remove(id, name), { once: true });
    dialog.showModal();
  }

  async remove(id, name) {
    try {
      if (id === this.open) this.leave();
      await request("DELETE", `v1/sessions/${id}`);
      say(`${name} deleted.`);
      this.drop(id);
    } catch (error) {
      complain(error);
    }
  }

  typed(event) {
    const links = [...this.list.querySelectorAll("a")];
    const place = links.indexOf(event.target.closest("li")?.querySelector("a"));
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: links.length - 1 }[event.key];
    if (next === undefined || !links[next]) return;
    event.preventDefault();
    links[next].focus();
  }
}

function kept() {
  return JSON.parse(localStorage.getItem(KEPT) ?? "[]");
}
