// Why each word was chosen, in whole words: what it looked at in the memory, how far that was heard, what else was near.

import { wordOf, words } from "./words.js";

const LEAST = 0.02; // that reached the word, for a remembered word to be worth a line

/** Explanations of a document's sentences, fetched once for each revision. */
export class Explanations {
  constructor(session) {
    this.session = session;
    this.found = new Map();
  }

  /** Return {text, alone, words: [{text, heard, looks, differs, alone}]} of a sentence. */
  of(number) {
    if (this.revision !== this.session.revision) {
      this.revision = this.session.revision;
      this.found.clear();
    }
    if (!this.found.has(number)) {
      const coming = this.session.explain(number).then((told) => this.inWords(told));
      coming.catch(() => this.found.delete(number));
      this.found.set(number, coming);
    }
    return this.found.get(number);
  }

  inWords({ text, alone, words: pieces }) {
    const found = words(text, this.session.languages[1]).map(({ text: word, start, end }) => {
      const inside = pieces.filter((piece) => piece.start < end && start < piece.end);
      return this.word(word, inside);
    });
    return { text, alone, words: found };
  }

  word(text, pieces) {
    const first = pieces.findIndex((piece) => piece.alone.trim() !== piece.piece.trim());
    const said = pieces.slice(0, Math.max(first, 0)).map((piece) => piece.piece);
    return {
      text,
      heard: Math.max(0, ...pieces.map((piece) => piece.gate)),
      looks: this.looks(pieces),
      differs: first >= 0,
      alone: first < 0 ? text : [...said, pieces[first].alone].join("").trim(),
    };
  }

  /** Return what the pieces of a word looked at: {text, sentence, place, origin, share, weight}. */
  looks(pieces) {
    const found = new Map();
    for (const piece of pieces) {
      for (const { word, sentence, origin, share } of piece.looks) {
        const key = `${sentence} ${origin} ${word}`;
        const look = found.get(key) ?? { text: word, sentence, place: this.place(word, sentence), origin, share: 0, weight: 0 };
        look.share += share / pieces.length;
        // What counts is how much of the look reached the word: much looked at and hardly heard is little.
        look.weight = Math.max(look.weight, share * piece.gate);
        found.set(key, look);
      }
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight).filter((look) => look.weight >= LEAST);
  }

  place(word, sentence) {
    const { text } = this.session.at(sentence) ?? {};
    return text ? wordOf(word, text, this.session.languages[1]) : -1;
  }
}
