// Why each word was chosen, in whole words: what the memory was asked, how far it was heard, what else was near.

import { madeOf, shown, wordOf, words } from "./words.js";

const LEAST = 0.02; // of what was heard, for a remembered word to be worth a line

/** Explanations of a document's sentences, fetched once each until something changes. */
export class Explanations {
  constructor(session) {
    this.session = session;
    this.found = new Map();
    for (const event of ["sentence", "record"]) session.addEventListener(event, () => this.found.clear());
  }

  /** Return {text, alone, words: [{text, heard, looks, alone, ...}]} of a sentence. */
  of(number) {
    if (!this.found.has(number)) {
      const coming = this.session.explain(number).then((told) => this.inWords(told));
      coming.catch(() => this.found.delete(number));
      this.found.set(number, coming);
    }
    return this.found.get(number);
  }

  inWords(told) {
    const language = this.session.languages[1];
    const pieces = told.words.map((word) => word.piece);
    const made = madeOf(told.text, pieces, language);
    return {
      text: told.text,
      alone: told.alone,
      words: words(told.text, language).map((word, number) =>
        this.word(word.text, made[number].map((piece) => told.words[piece])),
      ),
    };
  }

  word(text, pieces) {
    const first = pieces.findIndex((piece) => piece.alone !== piece.piece);
    const said = pieces.slice(0, Math.max(first, 0)).map((piece) => shown(piece.piece)).join("");
    return {
      text,
      heard: Math.max(0, ...pieces.map((piece) => piece.gate)),
      looks: this.looks(pieces),
      differs: first >= 0,
      alone: first < 0 ? text : (said + shown(pieces[first].alone)).trim(),
      probability: product(pieces.map((piece) => piece.probability)),
      probabilityAlone: product(pieces.map((piece) => piece.probability_alone)),
    };
  }

  /** Return what all pieces of a word looked at, in whole words: {text, sentence, place, share, weight, origin}. */
  looks(pieces) {
    const language = this.session.languages[1];
    const found = new Map();
    for (const piece of pieces) {
      for (const look of piece.looks) {
        const sentence = this.session.at(look.sentence);
        const place = sentence?.text ? wordOf(look.word, sentence.text, language) : -1;
        const text = place >= 0 ? words(sentence.text, language)[place].text : shown(look.word).trim();
        const key = `${look.sentence} ${look.origin} ${text}`;
        const before = found.get(key) ?? { text, sentence: look.sentence, place, origin: look.origin };
        const share = (before.share ?? 0) + look.share / pieces.length;
        // What counts is how much of the look reached the word: much looked at, hardly heard is little.
        const weight = Math.max(before.weight ?? 0, look.share * piece.gate);
        found.set(key, { ...before, share, weight });
      }
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight).filter((look) => look.share >= LEAST);
  }
}

function product(numbers) {
  return numbers.reduce((all, number) => all * number, 1);
}
