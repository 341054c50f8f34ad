// The memory panel: every slot as a point, every remembered word with its age and origin, to pin or to forget.

import { byId, drawn, element, unseen } from "./elements.js";
import { icon } from "./icons.js";
import { complain, say } from "./status.js";
import { counted, ORIGINS, whence } from "./wording.js";

const ACROSS = 80; // slots in a line of the map
const SENTENCES = 4; // places told of each word
const HUMAN = ["correction", "glossary", "earlier", "own"]; // whose word it is above all
const SPOKEN = /[\p{L}\p{N}]/u;

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
    session.addEventListener("record", () => this.load());
    session.addEventListener("sentence", () => this.soon());
  }

  /** Fetch the memory now and then while sentences come in. */
  soon() {
    this.waiting ??= setTimeout(() => this.load(), 2000);
  }

  async load() {
    clearTimeout(this.waiting);
    this.waiting = null;
    const { session } = this;
    if (session.closed) return;
    try {
      const found = await session.memory();
      if (session !== this.session) return;
      this.size = found.size;
      this.used = found.used;
      this.slots = found.slots;
      this.words = grouped(found.slots);
      this.write();
    } catch (error) {
      complain(error);
    }
  }

  write() {
    byId("memory-title").textContent = this.session.remembers ? "Memory" : "Memory (off)";
    byId("memory-used").textContent = `${this.used.toLocaleString("en")} of ${counted(this.size, "slot")}`;
    this.draw();
    this.writeLegend();
    this.writeList();
  }

  /** Draw every slot as a small square, the youngest first: a word has as many as it has pieces. */
  draw() {
    const map = byId("slot-map");
    const lines = Math.ceil(this.size / ACROSS);
    map.setAttribute("viewBox", `0 0 ${ACROSS * 5} ${lines * 5}`);
    const kinds = this.slots.flatMap(({ pieces, origin }) => Array(pieces).fill(origin));
    const paths = new Map([["free", ""]]);
    for (let slot = 0; slot < this.size; slot++) {
      const kind = kinds[slot] ?? "free";
      const square = `M${(slot % ACROSS) * 5} ${Math.floor(slot / ACROSS) * 5}h4v4h-4z`;
      paths.set(kind, (paths.get(kind) ?? "") + square);
    }
    map.replaceChildren(...[...paths].map(([kind, d]) => drawn("path", { d, class: `slot ${kind}` })));
  }

  /** The legend counts the origins, and lets each be left out of the list. */
  writeLegend() {
    const buttons = Object.entries(ORIGINS).flatMap(([origin, name]) => {
      const count = this.slots.reduce((sum, slot) => sum + (slot.origin === origin ? slot.pieces : 0), 0);
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
        `${name} ${count.toLocaleString("en")}`,
      );
    });
    byId("legend").replaceChildren(...buttons);
  }

  writeList() {
    const sought = byId("slot-search").value.trim().toLowerCase();
    const focused = this.list.contains(document.activeElement);
    const kept = this.list.querySelector("tr.current")?.dataset.word;
    const rows = this.words
      .filter((word) => !this.hiddenOrigins.has(word.origin) && word.word.toLowerCase().includes(sought))
      .map((word) => this.line(word));
    this.list.replaceChildren(...rows);
    byId("slots-empty").hidden = rows.length > 0;
    const current = rows.find((row) => row.dataset.word === kept) ?? rows[0];
    this.choose(current);
    if (focused) (current ?? byId("slot-search")).focus?.();
  }

  line(word) {
    const since = `${counted(word.age, "word")} remembered since`;
    return element(
      "tr",
      { "data-word": word.word, tabindex: "-1", class: word.pinned ? "pinned" : "" },
      element(
        "th",
        { scope: "row" },
        element("span", { class: `origin ${word.origin}`, "aria-hidden": "true" }),
        word.word,
        unseen(`, ${ORIGINS[word.origin]}`),
      ),
      element("td", {}, ...word.sentences.slice(0, SENTENCES).map((number) => whence(number, this.go))),
      element("td", { class: "age", title: since }, word.age.toLocaleString("en")),
      element("td", { class: "acts" }, this.pinButton(word), this.forgetButton(word)),
    );
  }

  pinButton(word) {
    const attributes = {
      type: "button",
      class: "act",
      "aria-pressed": `${word.pinned}`,
      "aria-label": `Pin ${word.word}`,
      title: word.pinned ? "Pinned: never pushed out. Click to unpin." : "Pin: never push it out",
      tabindex: "-1",
      click: () => this.act(word.pinned ? "unpin" : "pin", word),
    };
    return element("button", attributes, icon("pin"));
  }

  forgetButton(word) {
    const attributes = {
      type: "button",
      class: "act",
      "aria-label": `Forget ${word.word}`,
      title: "Forget: what follows is translated without it",
      tabindex: "-1",
      click: () => this.act("forget", word),
    };
    return element("button", attributes, icon("cross"));
  }

  async act(verb, word) {
    try {
      await this.session.change(verb, word.word);
      say(`${word.word}: ${{ pin: "pinned", unpin: "no longer pinned", forget: "forgotten" }[verb]}.`);
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
      row.classList.toggle("consulted", sought.has(row.dataset.word));
    }
  }
}

/** Return remembered words, the youngest first; the same word is told once, signs are not told. */
function grouped(slots) {
  const found = new Map();
  for (const { word, sentence, age, origin, pinned } of slots) {
    if (!SPOKEN.test(word)) continue;
    const before = found.get(word) ?? { word, age, origin, pinned, sentences: [] };
    if (!before.sentences.includes(sentence)) before.sentences.push(sentence);
    if (HUMAN.indexOf(origin) < HUMAN.indexOf(before.origin)) before.origin = origin;
    found.set(word, before);
  }
  return [...found.values()];
}
