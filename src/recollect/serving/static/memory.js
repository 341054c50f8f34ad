// The memory panel: every slot as a point, every remembered word with its age and origin, to pin or to forget.

import { byId, drawn, element } from "./elements.js";
import { complain, say } from "./status.js";
import { counted, ORIGINS, whence } from "./wording.js";
import { shown } from "./words.js";

const ACROSS = 50; // slots in a line of the map

export class Memory {
  constructor(go) {
    this.go = go;
    this.list = byId("slots");
    this.hiddenOrigins = new Set();
    this.words = [];
    byId("slot-search").addEventListener("input", () => this.write());
    this.list.addEventListener("keydown", (event) => this.typed(event));
    this.list.addEventListener("focusin", ({ target }) => this.choose(target.closest("tr")));
  }

  show(session) {
    this.session = session;
    this.words = [];
    this.load();
    for (const event of ["record", "sentence"]) session.addEventListener(event, () => this.soon());
  }

  /** Fetch the memory when nothing has happened for a moment. */
  soon() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.load(), 300);
  }

  async load() {
    clearTimeout(this.waiting);
    const { session } = this;
    try {
      const found = await session.memory();
      if (session !== this.session) return;
      this.size = found.size;
      this.slots = found.slots;
      this.words = grouped(found.slots);
      this.write();
    } catch (error) {
      complain(error);
    }
  }

  write() {
    const used = this.slots.length;
    byId("memory-title").textContent = this.session.remembers ? "Memory" : "Memory (off)";
    byId("memory-used").textContent = `${used.toLocaleString("en")} of ${counted(this.size, "slot")}`;
    this.draw();
    this.writeLegend();
    this.writeList();
  }

  /** Draw every slot as a small square, the youngest first. */
  draw() {
    const map = byId("slot-map");
    const lines = Math.ceil(this.size / ACROSS);
    map.setAttribute("viewBox", `0 0 ${ACROSS * 6} ${lines * 6}`);
    const byAge = [...this.slots].sort((a, b) => a.age - b.age);
    const paths = new Map([["free", ""]]);
    for (let slot = 0; slot < this.size; slot++) {
      const kind = byAge[slot]?.origin ?? "free";
      const square = `M${(slot % ACROSS) * 6} ${Math.floor(slot / ACROSS) * 6}h5v5h-5z`;
      paths.set(kind, (paths.get(kind) ?? "") + square);
    }
    map.replaceChildren(...[...paths].map(([kind, d]) => drawn("path", { d, class: `slot ${kind}` })));
  }

  /** The legend counts the origins, and lets each be left out of the list. */
  writeLegend() {
    const buttons = Object.entries(ORIGINS).flatMap(([origin, name]) => {
      const count = this.slots.filter((slot) => slot.origin === origin).length;
      if (!count) return [];
      const toggle = () => {
        if (!this.hiddenOrigins.delete(origin)) this.hiddenOrigins.add(origin);
        this.write();
        byId("legend").querySelector(`[data-origin="${origin}"]`).focus();
      };
      return element(
        "button",
        {
          type: "button",
          class: "legend",
          "data-origin": origin,
          "aria-pressed": `${!this.hiddenOrigins.has(origin)}`,
          click: toggle,
        },
        element("span", { class: `origin ${origin}`, "aria-hidden": "true" }),
        `${name} ${count}`,
      );
    });
    byId("legend").replaceChildren(...buttons);
  }

  writeList() {
    const sought = byId("slot-search").value.trim().toLowerCase();
    const focused = this.list.contains(document.activeElement);
    const kept = this.list.querySelector("tr.current")?.dataset.word;
    const rows = this.words
      .filter((word) => !this.hiddenOrigins.has(word.origin) && word.text.toLowerCase().includes(sought))
      .map((word) => this.line(word));
    this.list.replaceChildren(...rows);
    byId("slots-empty").hidden = rows.length > 0;
    const current = rows.find((row) => row.dataset.word === kept) ?? rows[0];
    this.choose(current);
    if (focused) (current ?? byId("slot-search")).focus?.();
  }

  line(word) {
    const times = word.count > 1 ? element("small", { class: "quiet" }, ` ×${word.count}`) : null;
    const age = word.age === 0 ? "newest" : `${word.age.toLocaleString("en")} back`;
    return element(
      "tr",
      { "data-word": word.word, tabindex: "-1", class: word.pinned ? "pinned" : "" },
      element(
        "th",
        { scope: "row" },
        element("span", { class: `origin ${word.origin}`, "aria-hidden": "true" }),
        word.text,
        times,
      ),
      element("td", {}, whence(word, this.go)),
      element("td", { class: "age", title: `${counted(word.age, "word")} were remembered since` }, age),
      element("td", { class: "acts" }, this.pinButton(word), this.forgetButton(word)),
    );
  }

  pinButton(word) {
    const attributes = {
      type: "button",
      class: "act",
      "aria-pressed": `${word.pinned}`,
      "aria-label": `Pin ${word.text}`,
      title: word.pinned ? "Pinned: never pushed out. Click to unpin." : "Pin: never push it out",
      tabindex: "-1",
      click: () => this.act(word.pinned ? "unpin" : "pin", word),
    };
    return element("button", attributes, element("span", { "aria-hidden": "true" }, word.pinned ? "●" : "○"));
  }

  forgetButton(word) {
    const attributes = {
      type: "button",
      class: "act",
      "aria-label": `Forget ${word.text}`,
      title: "Forget: what follows is translated without it",
      tabindex: "-1",
      click: () => this.act("forget", word),
    };
    return element("button", attributes, element("span", { "aria-hidden": "true" }, "×"));
  }

  async act(verb, word) {
    try {
      await this.session.change(verb, word.word);
      say(`${word.text}: ${{ pin: "pinned", unpin: "no longer pinned", forget: "forgotten" }[verb]}.`);
      await this.load();
    } catch (error) {
      complain(error);
    }
  }

  choose(row) {
    if (!row) return;
    for (const each of this.list.querySelectorAll("tr.current")) this.mark(each, false);
    this.mark(row, true);
  }

  mark(row, current) {
    row.classList.toggle("current", current);
    row.tabIndex = current ? 0 : -1;
    for (const button of row.querySelectorAll("button")) button.tabIndex = current ? 0 : -1;
  }

  typed(event) {
    const row = event.target.closest("tr");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const word = this.words.find((each) => each.word === row.dataset.word);
    const keys = {
      ArrowDown: () => row.nextElementSibling?.focus(),
      ArrowUp: () => (row.previousElementSibling ?? byId("slot-search")).focus(),
      Home: () => this.list.firstElementChild.focus(),
      End: () => this.list.lastElementChild.focus(),
      p: () => this.act(word.pinned ? "unpin" : "pin", word),
      Delete: () => this.act("forget", word),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Set off the remembered words that a word of the translation looked at. */
  point(looks) {
    const sought = new Set(looks.map((look) => look.text));
    for (const row of this.list.children) {
      row.classList.toggle("consulted", sought.has(shown(row.dataset.word).trim()));
    }
  }
}

/** Return remembered words, the youngest first, slots of the same word together. */
function grouped(slots) {
  const found = new Map();
  for (const slot of [...slots].sort((a, b) => a.age - b.age)) {
    const before = found.get(slot.word);
    if (before) before.count += 1;
    else found.set(slot.word, { ...slot, text: written(slot.word), count: 1 });
  }
  return [...found.values()];
}

/** A piece that goes on with a word shows that it does. */
function written(piece) {
  const bare = shown(piece).trim();
  return /^[\p{L}\p{N}]/u.test(piece) ? `…${bare}` : bare;
}
