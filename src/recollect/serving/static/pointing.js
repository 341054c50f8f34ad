// Pointing at a word, with the pointer or the keyboard: its card, its lines, and those who want to know of it.

import { Card, spoken } from "./card.js";
import { Explanations } from "./explanations.js";
import { Links } from "./links.js";
import { complain, say } from "./status.js";

const REST = 90; // milliseconds that the pointer rests on a word before it is asked about
const GRACE = 200; // in which the card can be reached with the pointer before it goes

export class Pointing extends EventTarget {
  constructor(sentences) {
    super();
    this.sentences = sentences;
    this.links = new Links(sentences.grid, sentences.scroller);
    this.card = new Card((number) => sentences.edit(number), (number) => sentences.go(number));
    this.word = null;
    this.listen();
  }

  show(session) {
    this.session = session;
    this.explanations = new Explanations(session);
  }

  /** Return why the words of a sentence were chosen; null if the server does not tell. */
  async explained(number) {
    try {
      return await this.explanations.of(number);
    } catch (error) {
      complain(error);
      return null;
    }
  }

  /** Show what a word consulted. */
  async at(word, aloud = false) {
    const row = this.sentences.rowOf(word);
    if (!row || row.editing || row.sentence.text === null) return;
    const place = row.words.indexOf(word);
    this.word = word;
    const explained = await this.explained(row.number);
    const found = explained?.words[place];
    if (this.word !== word || !word.isConnected || found?.text !== word.textContent) return;
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
    this.word = null;
    clearTimeout(this.resting);
    this.links.clear();
    this.card.hide();
    this.dispatchEvent(new CustomEvent("left"));
  }

  /** Let something be written anew; point at the word that stands where the other one stood. */
  keeping(write) {
    const { word } = this;
    const row = word && this.sentences.rowOf(word);
    const place = row?.words.indexOf(word);
    write();
    if (!word || word.isConnected) return;
    this.leave();
    if (row.words[place]) this.at(row.words[place]);
  }

  listen() {
    const { grid } = this.sentences;
    const { card } = this.card;
    // Text that is written anew under a pointer at rest is not pointed at: only what moves points.
    grid.addEventListener("pointermove", (event) => {
      const word = event.target.closest(".target .word");
      if (event.pointerType !== "mouse" || word === this.under) return;
      this.under = word;
      clearTimeout(this.resting);
      clearTimeout(this.going);
      if (word) this.resting = setTimeout(() => this.at(word), REST);
    });
    const goSoon = (event) => {
      this.under = null;
      clearTimeout(this.resting);
      clearTimeout(this.going);
      if (event.pointerType === "mouse") this.going = setTimeout(() => this.leave(), GRACE);
    };
    grid.addEventListener("pointerleave", goSoon);
    card.addEventListener("pointerenter", () => clearTimeout(this.going));
    card.addEventListener("pointerleave", goSoon);
    grid.addEventListener("focusin", ({ target }) => target.matches(".target .word") && this.at(target, true));
  }
}
