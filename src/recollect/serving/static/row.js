// One sentence: its source, its translation word by word, what is to be said of it in the margin.

import { element, unseen } from "./elements.js";
import { flagButton, flagsOf } from "./flags.js";
import { icon } from "./icons.js";
import { counted } from "./wording.js";
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
    this.margin = element("div", { role: "gridcell", class: "margin" });
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

  update() {
    const { state } = this.sentence;
    const { sign, said } = STATES[state];
    this.element.dataset.state = state;
    this.head.replaceChildren(
      `${this.number}`,
      element("span", { class: "sign", title: said }, ...(sign ? [icon(sign)] : [])),
      unseen(said),
    );
    this.writeSource();
    if (!this.editing) this.writeTarget();
    this.writeAlone();
    this.writeMargin();
  }

  writeSource() {
    const { source, where } = this.sentence;
    const place = where ? element("span", { class: "place", lang: "en" }, where) : null;
    this.source.replaceChildren(...[place].filter(Boolean), ...withTerms(source, this.flags));
  }

  get flags() {
    return flagsOf(this.session.flags, this.number);
  }

  writeTarget() {
    const { text } = this.sentence;
    const before = this.session.before(this.number);
    if (text === null && !before) {
      this.target.replaceChildren(element("span", { class: "coming" }, unseen("not yet translated")));
      return;
    }
    const changed = text === null ? new Set() : this.session.changedWords(this.number);
    this.target.replaceChildren(...inWords(text ?? before, this.session.languages[1], changed, "changed"));
  }

  writeAlone() {
    const { text, alone } = this.sentence;
    if (!this.session.comparing || !alone || text === null) return this.alone.replaceChildren();
    const language = this.session.languages[1];
    this.alone.replaceChildren(...inWords(alone, language, differing(alone, text, language), "differs"));
    const mine = differing(text, alone, language);
    this.words.forEach((word, number) => word.classList.toggle("differs", mine.has(number)));
  }

  writeMargin() {
    const changed = this.session.changedWords(this.number).size;
    const before = this.session.before(this.number);
    this.element.classList.toggle("followed", changed > 0);
    const note = element("span", { class: "note", title: `Before: ${before}` }, `${counted(changed, "word")} changed`);
    this.margin.replaceChildren(
      ...this.flags.map((flag) => flagButton(flag, this.session.languages, this.actions.go)),
      ...(changed ? [note] : []),
      ...(this.current ? this.buttons() : []),
    );
  }

  buttons() {
    const { text, state } = this.sentence;
    if (text === null) return [];
    const act = (sign, name, action) => {
      const label = `${name} sentence ${this.number}`;
      const attributes = { type: "button", class: "act", "aria-label": label, title: name, click: action };
      return element("button", attributes, icon(sign));
    };
    const edit = act("edit", "Edit", () => this.actions.edit(this.number));
    const confirm = act("tick", "Confirm", () => this.actions.confirm(this.number));
    return state === "machine" ? [edit, confirm] : [edit];
  }

  set isCurrent(value) {
    this.current = value;
    this.element.classList.toggle("current", value);
    this.target.tabIndex = value ? 0 : -1;
    this.element.setAttribute("aria-selected", value);
    if (!value) this.forgetExplained();
    this.writeMargin();
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
