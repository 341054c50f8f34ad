// One sentence: its source, its translation word by word, what is to be said of it in the margin.

import { element, unseen } from "./elements.js";
import { flagButton, flagsOf } from "./flags.js";
import { icon } from "./icons.js";
import { differing, words } from "./words.js";

const STATES = {
  waiting: { said: "not yet translated" },
  machine: { said: "" },
  corrected: { sign: "edit", said: "corrected" },
  confirmed: { sign: "tick", said: "confirmed" },
};

export class Row {
  constructor(session, number, actions) {
    this.session = session;
    this.number = number;
    this.actions = actions;
    const [source, target] = session.languages;
    this.head = element("div", { role: "rowheader", class: "number" });
    this.source = element("div", { role: "gridcell", class: "source", lang: source });
    this.target = element("div", { role: "gridcell", class: "target", lang: target, tabindex: "-1" });
    this.alone = element("div", { role: "gridcell", class: "alone", lang: target });
    this.notes = element("span");
    this.acts = element("span"); // apart: a note that is clicked must not be written anew by becoming current
    this.margin = element("div", { role: "gridcell", class: "margin" }, this.notes, this.acts);
    this.element = element(
      "div",
      { role: "row", class: "row", "data-number": number, "aria-rowindex": number + 1 },
      this.head,
      this.source,
      this.target,
      this.alone,
      this.margin,
    );
    this.editing = false;
    this.update();
  }

  get sentence() {
    return this.session.at(this.number);
  }

  /** The elements of the words of the translation. */
  get words() {
    return [...this.target.querySelectorAll(".word")];
  }

  /** Write what has changed; `anew`: something else stands in place of the translation. */
  update({ anew = false } = {}) {
    if (anew) written.delete(this.target);
    const { state } = this.sentence;
    const { sign, said } = STATES[state];
    this.element.dataset.state = state;
    write(this.head, [state], () => [
      `${this.number}`,
      element("span", { class: "sign", title: said, "aria-hidden": "true" }, ...(sign ? [icon(sign)] : [])),
      unseen(said),
    ]);
    this.writeSource();
    if (!this.editing) this.writeTarget();
    this.writeAlone();
    this.writeNotes();
    this.writeActs();
  }

  writeSource() {
    const { source, where } = this.sentence;
    write(this.source, [source, where, this.flags], () => [
      ...(where ? [element("span", { class: "place", lang: "en" }, where)] : []),
      ...withTerms(source, this.flags),
    ]);
  }

  get flags() {
    return flagsOf(this.session.flags, this.number);
  }

  writeTarget() {
    const { text } = this.sentence;
    const changed = this.session.changedWords(this.number);
    write(this.target, [text, ...changed], () =>
      text === null
        ? [element("span", { class: "coming" }, unseen("not yet translated"))]
        : inWords(text, this.session.languages[1], changed, "changed"),
    );
  }

  writeAlone() {
    const { text, alone } = this.sentence;
    const language = this.session.languages[1];
    const beside = this.session.comparing && text !== null ? alone : null;
    write(this.alone, [text, beside], () =>
      beside === null ? [] : inWords(beside, language, differing(beside, text, language), "differs"),
    );
    const mine = beside === null ? new Set() : differing(text, beside, language);
    this.words.forEach((word, number) => word.classList.toggle("differs", mine.has(number)));
  }

  writeNotes() {
    const changed = this.session.changedWords(this.number).size;
    const before = `Before: ${this.session.before(this.number)}`;
    write(this.notes, [changed, before, this.flags], () => [
      ...this.flags.map((flag) => flagButton(flag, this.session.languages, this.actions.go)),
      ...(changed ? [element("span", { class: "note", title: before }, `${changed} changed`)] : []),
    ]);
  }

  writeActs() {
    const { text, state } = this.sentence;
    const shown = Boolean(this.current) && text !== null;
    write(this.acts, [shown, state], () => (shown ? this.buttons() : []));
  }

  buttons() {
    const act = (sign, name, action) => {
      const label = `${name} sentence ${this.number}`;
      const attributes = { type: "button", class: "act", "aria-label": label, title: name, click: action };
      return element("button", attributes, icon(sign));
    };
    const edit = act("edit", "Edit", () => this.actions.edit(this.number));
    const confirm = act("tick", "Confirm", () => this.actions.confirm(this.number));
    return this.sentence.state === "machine" ? [edit, confirm] : [edit];
  }

  set isCurrent(value) {
    this.current = value;
    this.element.classList.toggle("current", value);
    this.target.tabIndex = value ? 0 : -1;
    this.element.setAttribute("aria-selected", value);
    if (!value) this.forgetExplained();
    this.writeActs();
  }

  /** Underline the words that the memory had a say in. */
  showExplained(explained) {
    if (explained.text !== this.sentence.text || this.editing) return;
    this.words.forEach((word, number) => {
      const { heard, differs } = explained.words[number];
      word.style.setProperty("--heard", heard.toFixed(3));
      word.classList.toggle("heard", heard >= 0.1);
      word.classList.toggle("led", differs && heard >= 0.1);
    });
  }

  forgetExplained() {
    for (const word of this.words) word.classList.remove("heard", "led");
  }
}

const written = new WeakMap(); // what was last written into an element

/** Write an element anew if what it is made from has changed: words that are pointed at stay. */
function write(place, facts, build) {
  const now = JSON.stringify(facts);
  if (written.get(place) === now) return;
  written.set(place, now);
  place.replaceChildren(...build());
}

/** Return text as elements of words and what is between them; those in `marked` get a class. */
function inWords(text, language, marked, mark) {
  const parts = [];
  let end = 0;
  words(text, language).forEach((word, number) => {
    if (word.start > end) parts.push(text.slice(end, word.start));
    const kind = marked.has(number) ? `word ${mark}` : "word";
    parts.push(element("span", { class: kind, tabindex: "-1" }, word.text));
    end = word.end;
  });
  parts.push(text.slice(end));
  return parts;
}

/** Return the source with the flagged terms in it set off. */
function withTerms(source, flags) {
  const parts = [];
  let rest = source;
  while (rest) {
    const next = flags
      .map(({ term }) => ({ term, at: rest.indexOf(term) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    parts.push(rest.slice(0, next.at), element("span", { class: "term" }, next.term));
    rest = rest.slice(next.at + next.term.length);
  }
  return [...parts, rest];
}
