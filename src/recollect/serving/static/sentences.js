// The sentences side by side: one of them is current, its words can be walked, its translation edited.

import { edit } from "./editor.js";
import { byId } from "./elements.js";
import { Pointing } from "./pointing.js";
import { Row } from "./row.js";
import { complain, say } from "./status.js";
import { words } from "./words.js";

const PAGE = 10; // sentences that the page keys go

export class Sentences extends EventTarget {
  constructor() {
    super();
    this.grid = byId("sentences");
    this.scroller = byId("scroller");
    this.pointing = new Pointing(this);
    this.rows = [];
    this.current = 1;
    this.grid.addEventListener("focusin", ({ target }) => {
      const row = this.rowOf(target);
      if (row && row !== this.row) this.choose(row.number);
    });
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("keydown", (event) => this.typed(event));
  }

  /** Show a document. */
  show(session) {
    this.pointing.leave();
    this.pointing.show(session);
    this.session = session;
    this.rows = [];
    this.grid.querySelector(".rows").replaceChildren();
    this.updateAll();
    this.choose(1);
    session.addEventListener("sentence", ({ detail }) => this.update(detail));
    session.addEventListener("record", () => this.updateAll());
  }

  update(number) {
    if (!this.at(number)) return this.updateAll();
    this.keepingPlace(() => this.at(number).update());
    return number === this.current && this.settle();
  }

  updateAll() {
    this.keepingPlace(() => this.rows.forEach((row) => row.update()));
    const actions = {
      edit: (number) => this.edit(number),
      confirm: (number) => this.confirm(number),
      go: (number) => this.go(number),
    };
    const added = this.session.sentences
      .slice(this.rows.length)
      .map((_, place) => new Row(this.session, this.rows.length + place + 1, actions));
    this.rows.push(...added);
    this.grid.querySelector(".rows").append(...added.map((row) => row.element));
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
    this.settle();
  }

  /** Let rows be written anew without losing where the keyboard and the pointer are. */
  keepingPlace(write) {
    const focused = document.activeElement;
    const row = this.rowOf(focused);
    const kin = () => [...(focused.matches("button") ? row.margin.querySelectorAll("button") : row.words)];
    const place = row && kin().indexOf(focused);
    this.pointing.keeping(write);
    if (row && !focused.isConnected) (kin()[place] ?? row.target).focus({ preventScroll: true });
  }

  get row() {
    return this.at(this.current);
  }

  at(number) {
    return this.rows[number - 1];
  }

  /** Return the row that an element is in, if any. */
  rowOf(inside) {
    const row = inside.closest(".row[data-number]");
    return row ? this.at(Number(row.dataset.number)) : null;
  }

  /** Make a sentence the current one. */
  choose(number) {
    if (!this.at(number)) return;
    if (this.row) this.row.isCurrent = false;
    this.current = number;
    this.row.isCurrent = true;
    this.settle();
  }

  /** Ask about the current sentence once things have come to rest. */
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.explain(), 150);
  }

  async explain() {
    const { row } = this;
    if (!row || this.session.closed || row.sentence.text === null || row.editing) return;
    const explained = await this.pointing.explained(row.number);
    if (row !== this.row || !explained) return;
    row.showExplained(explained);
    this.dispatchEvent(new CustomEvent("explained", { detail: { number: row.number, explained } }));
  }

  /** Go to a sentence: it becomes current, has the focus, and can be seen. */
  go(number) {
    this.pointing.leave();
    this.choose(number);
    this.row?.target.focus({ preventScroll: true });
    this.row?.element.scrollIntoView({ block: "nearest" });
  }

  /** Edit a sentence; `select` is what shall be selected in it, `draft` what was typed but not kept. */
  async edit(number, select = null, draft = null) {
    const row = this.at(number);
    if (!row || row.editing || row.sentence.text === null) return;
    this.pointing.leave();
    this.choose(number);
    const before = row.sentence.text;
    const result = await edit(row, { select, draft });
    if (!result?.elsewhere) row.target.focus({ preventScroll: true });
    let done = true;
    if (result?.text && result.text !== before) done = await this.correct(number, result.text);
    else if (result?.onward) await this.confirm(number);
    if (result?.onward && done) await this.edit(number + 1);
  }

  /** Correct a sentence and return whether that worked; what the server did not take is in the editor again. */
  async correct(number, text) {
    const before = this.session.at(number);
    const show = (sentence) => {
      this.session.sentences[number - 1] = sentence;
      this.at(number).update();
    };
    show({ ...before, text, state: "corrected" });
    try {
      await this.session.correct(number, text);
      return true;
    } catch (error) {
      complain(error);
      show(before);
      this.session.tell("sentence", number); // whoever counts counts again
      this.edit(number, null, text);
      return false;
    }
  }

  async confirm(number) {
    try {
      await this.session.confirm(number);
      say(`Sentence ${number} confirmed.`);
    } catch (error) {
      complain(error);
    }
  }

  /** A click edits where it falls; a finger first asks about the word. */
  clicked(event) {
    const row = this.rowOf(event.target);
    if (!row || event.target.closest("button, textarea")) return;
    const word = event.target.closest(".target .word");
    if (event.pointerType === "touch" || !event.target.closest(".target")) {
      this.choose(row.number);
      if (word) this.pointing.at(word);
    } else if (!getSelection().toString()) {
      this.edit(row.number, word && this.clickedPlace(row, word, event)); // otherwise someone is copying words
    }
  }

  /** Return where in a sentence a click on a word falls: between two letters. */
  clickedPlace(row, word, event) {
    const { start } = this.placeOf(row, word);
    const found = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const at = start + (found && word.contains(found.offsetNode) ? found.offset : 0);
    return { start: at, end: at };
  }

  placeOf(row, word) {
    return words(row.sentence.text, this.session.languages[1])[row.words.indexOf(word)];
  }

  typed(event) {
    if (event.target.closest("button, textarea") || event.altKey) return;
    const word = event.target.closest(".target .word");
    const last = this.rows.length;
    const keys = {
      ArrowDown: () => this.go(this.current + 1),
      ArrowUp: () => this.go(this.current - 1),
      PageDown: () => this.go(Math.min(this.current + PAGE, last)),
      PageUp: () => this.go(Math.max(this.current - PAGE, 1)),
      ArrowRight: () => this.step(word, 1),
      ArrowLeft: () => this.step(word, -1),
      Home: () => (event.ctrlKey ? this.go(1) : this.row.words.at(0)?.focus()),
      End: () => (event.ctrlKey ? this.go(last) : this.row.words.at(-1)?.focus()),
      Enter: () => this.edit(this.current, word && this.placeOf(this.row, word)),
      F2: () => this.edit(this.current),
      Escape: () => this.go(this.current),
      c: () => this.confirm(this.current),
      n: () => this.goToChange(1),
      p: () => this.goToChange(-1),
    };
    const command = event.ctrlKey || event.metaKey;
    if (!keys[event.key] || (command && !["Home", "End"].includes(event.key))) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Go to the next word of the sentence or the one before; beyond the last is the sentence itself. */
  step(word, by) {
    const all = this.row.words;
    const place = word ? all.indexOf(word) + by : by > 0 ? 0 : all.length - 1;
    if (all[place]) all[place].focus();
    else this.go(this.current);
  }

  /** Go to the next sentence with changed words, or the one before. */
  goToChange(by) {
    for (let number = this.current + by; this.at(number); number += by) {
      if (this.session.changedWords(number).size) return this.go(number);
    }
    return say("No further changes.");
  }
}
