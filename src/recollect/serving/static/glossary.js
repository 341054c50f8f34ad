// The glossary of a document: terms that are remembered throughout.

import { byId, element } from "./elements.js";
import { icon } from "./icons.js";
import { complain, say } from "./status.js";

export class Glossary {
  constructor() {
    byId("term-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const [source, target] = [byId("term-source"), byId("term-target")].map((field) => field.value.trim());
      if (!source || !target) return;
      const others = this.session.glossary.filter((term) => term.source !== source);
      this.agree([...others, { source, target }], `${source} is ${target} from now on.`);
      event.target.reset();
      byId("term-source").focus();
    });
  }

  show(session) {
    this.session = session;
    this.write();
    session.addEventListener("record", () => this.write());
  }

  write() {
    const terms = this.session.glossary;
    byId("glossary-count").textContent = terms.length ? `${terms.length}` : "";
    byId("terms").replaceChildren(...terms.map((term) => this.line(term)));
  }

  line(term) {
    const remove = {
      type: "button",
      class: "act",
      "aria-label": `Remove ${term.source} from the glossary`,
      click: () =>
        this.agree(
          this.session.glossary.filter((each) => each.source !== term.source),
          `${term.source} removed.`,
        ),
    };
    const [source, target] = this.session.languages;
    return element(
      "li",
      {},
      element("span", { lang: source }, term.source),
      element("span", { class: "quiet" }, " → "),
      element("span", { lang: target }, term.target),
      element("button", remove, icon("cross")),
    );
  }

  async agree(terms, said) {
    try {
      await this.session.agree(terms);
      say(said);
    } catch (error) {
      complain(error);
    }
  }
}

/** Return the terms that are written one a line, "source = target"; lines without a sign are left out. */
export function termsIn(text) {
  return text
    .split("\n")
    .map((line) => line.split(/[=\t→]/).map((side) => side.trim()))
    .filter((sides) => sides.length === 2 && sides[0] && sides[1])
    .map(([source, target]) => ({ source, target }));
}
