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
  }

  async load() {
    const found = await request("GET", "v1/sessions");
    this.found = hasKey() ? found : kept();
    this.write();
  }

  /** Note how an open document stands. */
  note({ id, name, sentences }) {
    const others = this.found.filter((each) => each.id !== id);
    this.found = [{ id, name, sentences: sentences.length, changed: Date.now() / 1000 }, ...others];
    if (!hasKey()) keep(this.found);
    this.write();
  }

  /** A document that is no longer there is no longer listed. */
  drop(id) {
    this.found = this.found.filter((each) => each.id !== id);
    if (!hasKey()) keep(this.found);
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

  line({ id, name, sentences, changed }) {
    const open = id === this.open;
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

function keep(documents) {
  localStorage.setItem(KEPT, JSON.stringify(documents));
}
