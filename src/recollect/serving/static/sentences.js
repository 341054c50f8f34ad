// The sentences side by side: one of them is current, its words can be walked, its translation edited.

import { Card, spoken } from "./card.js";
import { edit } from "./editor.js";
import { byId } from "./elements.js";
import { Explanations } from "./explanations.js";
import { Links } from "./links.js";
import { Row } from "./row.js";
import { say, complain } from "./status.js";
import { words } from "./words.js";

const PAGE = 10; // sentences that the page keys go
const REST = 90; // milliseconds that the pointer rests on a word before it is asked about

export class Sentences extends EventTarget {
  constructor() {
    super();
    this.grid = byId("sentences");
    this.scroller = byId("scroller");
    this.links = new Links(this.grid, this.scroller);
    this.card = new Card((number) => this.edit(number), (number) => this.go(number));
    this.rows = [];
    this.current = 1;
    this.listen();
  }

  /** Show a document. */
  show(session, current = 1) {
    this.leave();
    this.session = session;
    this.explanations = new Explanations(session);
    this.build();
    this.choose(Math.min(current, this.rows.length));
    session.addEventListener("sentence", ({ detail }) => this.update(detail));
    session.addEventListener("record", () => this.updateAll());
  }

  build() {
    const actions = {
      edit: (number) => this.edit(number),
      confirm: (number) => this.confirm(number),
      go: (number) => this.go(number),
    };
    this.rows = this.session.sentences.map((_, place) => new Row(this.session, place + 1, actions));
    this.grid.querySelector(".rows").replaceChildren(...this.rows.map((row) => row.element));
    this.grid.setAttribute("aria-rowcount", this.rows.length + 1);
  }

  update(number) {
    if (number > this.rows.length) return this.updateAll();
    this.keepingFocus(() => this.at(number).update());
    if (number === this.current) this.settle();
  }

  updateAll() {
    if (this.rows.length !== this.session.sentences.length) {
      this.build();
      this.choose(Math.min(this.current, this.rows.length));
    } else this.keepingFocus(() => this.rows.forEach((row) => row.update()));
    this.settle();
  }

  /** Write rows anew without losing where the keyboard is. */
  keepingFocus(write) {
    const word = document.activeElement?.closest?.(".target .word");
    const row = word && this.rowOf(word);
    const place = row?.words.indexOf(word);
    const button = this.row?.margin.contains(document.activeElement) ? document.activeElement : null;
    const nth = button && [...this.row.margin.children].indexOf(button);
    write();
    if (word && !word.isConnected) (row.words[place] ?? row.target).focus({ preventScroll: true });
    if (button && !button.isConnected) (this.row.margin.children[nth] ?? this.row.target).focus();
  }

  get row() {
    return this.at(this.current);
  }

  at(number) {
    return this.rows[number - 1];
  }

  rowOf(inside) {
    const row = inside.closest?.(".row[data-number]");
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
    if (!row || row.sentence.text === null || row.editing) return;
    const explained = await this.explained(row.number);
    if (row !== this.row || !explained) return;
    row.showExplained(explained);
    this.dispatchEvent(new CustomEvent("explained", { detail: { number: row.number, explained } }));
  }

  async explained(number) {
    try {
      return await this.explanations.of(number);
    } catch (error) {
      complain(error);
      return null;
    }
  }

  /** Go to a sentence: it becomes current, has the focus, and can be seen. */
  go(number) {
    this.leave();
    this.choose(number);
    this.row?.target.focus({ preventScroll: true });
    this.row?.element.scrollIntoView({ block: "nearest" });
  }

  /** Show what a word consulted. */
  async point(word, aloud) {
    const row = this.rowOf(word);
    if (!row || row.editing || row.sentence.text === null) return;
    const place = row.words.indexOf(word);
    this.pointed = word;
    const explained = await this.explained(row.number);
    const found = explained?.words[place];
    if (this.pointed !== word || !word.isConnected || found?.text !== word.textContent) return;
    this.links.show(word, found.looks);
    this.card.show(found, word, {
      number: row.number,
      language: this.session.languages[1],
      alone: explained.alone === explained.text ? null : explained.alone,
    });
    this.dispatchEvent(new CustomEvent("pointed", { detail: { number: row.number, place, explained } }));
    if (aloud) say(spoken(found));
  }

  /** Leave the word that is shown. */
  leave() {
    this.pointed = null;
    clearTimeout(this.resting);
    this.links.clear();
    this.card.hide();
    this.dispatchEvent(new CustomEvent("left"));
  }

  async edit(number, select = null) {
    const row = this.at(number);
    if (!row || row.editing || row.sentence.text === null) return;
    this.leave();
    this.choose(number);
    const before = row.sentence.text;
    const result = await edit(row, { select });
    if (!result?.elsewhere) row.target.focus({ preventScroll: true });
    if (result?.text && result.text !== before) await this.correct(number, result.text);
    else if (result?.onward) await this.confirm(number);
    if (result?.onward && this.at(number + 1)) await this.edit(number + 1);
  }

  async correct(number, text) {
    this.session.sentences[number - 1] = { ...this.session.at(number), text, state: "corrected" };
    this.at(number).update();
    try {
      await this.session.correct(number, text);
      say(`Sentence ${number} corrected.`);
    } catch (error) {
      complain(error);
      await this.session.refresh();
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

  listen() {
    this.grid.addEventListener("pointerover", (event) => {
      const word = event.target.closest(".target .word");
      clearTimeout(this.resting);
      clearTimeout(this.going);
      if (word && event.pointerType === "mouse") this.resting = setTimeout(() => this.point(word, false), REST);
    });
    // The card can be reached with the pointer before it goes.
    const goSoon = (event) => {
      clearTimeout(this.going);
      if (event.pointerType === "mouse") this.going = setTimeout(() => this.leave(), 200);
    };
    this.grid.addEventListener("pointerleave", goSoon);
    this.card.card.addEventListener("pointerenter", () => clearTimeout(this.going));
    this.card.card.addEventListener("pointerleave", goSoon);
    this.grid.addEventListener("focusin", ({ target }) => {
      const row = this.rowOf(target);
      if (row && row !== this.row) this.choose(row.number);
      if (target.matches(".target .word")) this.point(target, true);
    });
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("keydown", (event) => this.typed(event));
  }

  /** A click edits where it falls; a finger first asks about the word. */
  clicked(event) {
    const row = this.rowOf(event.target);
    if (!row || event.target.closest("button, textarea")) return;
    const word = event.target.closest(".target .word");
    if (event.pointerType === "touch" || !event.target.closest(".target")) {
      if (row !== this.row) this.choose(row.number);
      if (word) this.point(word, false);
      return;
    }
    if (getSelection().toString()) return; // someone is copying words
    this.edit(row.number, word ? this.clickedPlace(row, word, event) : null);
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
    const keys = {
      ArrowDown: () => this.go(this.current + 1),
      ArrowUp: () => this.go(this.current - 1),
      PageDown: () => this.go(Math.min(this.current + PAGE, this.rows.length)),
      PageUp: () => this.go(Math.max(this.current - PAGE, 1)),
      ArrowRight: () => this.step(word, 1),
      ArrowLeft: () => this.step(word, -1),
      Home: () => (event.ctrlKey ? this.go(1) : this.row.words.at(0)?.focus()),
      End: () => (event.ctrlKey ? this.go(this.rows.length) : this.row.words.at(-1)?.focus()),
      Enter: () => this.edit(this.current, word ? this.placeOf(this.row, word) : null),
      F2: () => this.edit(this.current),
      Escape: () => this.go(this.current),
      c: () => this.confirm(this.current),
      n: () => this.goToChange(1),
      p: () => this.goToChange(-1),
    };
    const action = keys[event.key];
    if (!action || ((event.ctrlKey || event.metaKey) && !["Home", "End"].includes(event.key))) return;
    event.preventDefault();
    action();
  }

  step(word, by) {
    const all = this.row.words;
    const place = word ? all.indexOf(word) + by : by > 0 ? 0 : all.length - 1;
    if (all[place]) all[place].focus();
    else this.go(this.current);
  }

  /** Go to the next sentence with changed words, or the one before. */
  goToChange(by) {
    for (let number = this.current + by; number > 0 && number <= this.rows.length; number += by) {
      if (this.session.changedWords(number).size) return this.go(number);
    }
    return say("No further changes.");
  }
}
