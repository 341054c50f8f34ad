// The card of a word: how far the memory was heard, what it said, and what would have been said without it.

import { byId, element } from "./elements.js";
import { ORIGINS, percent, whence } from "./wording.js";

const UNHEARD = "The memory had little to say here.";
const NARROW = matchMedia("(max-width: 50rem)"); // as in the style sheet

export class Card {
  constructor(onEdit, onGo) {
    this.card = byId("card");
    this.onEdit = onEdit;
    this.onGo = onGo;
  }

  get shown() {
    return !this.card.hidden;
  }

  hide() {
    this.card.hidden = true;
  }

  /** Show what is known of a word beside its element. */
  show(word, at, { number, language, alone }) {
    this.card.replaceChildren(
      element(
        "header",
        {},
        element("strong", { lang: language }, word.text),
        element("span", { class: "heard" }, "memory heard ", meter(word.heard), ` ${percent(word.heard)}`),
      ),
      this.looks(word),
      ...without(word, alone),
      element(
        "footer",
        {},
        element("button", { type: "button", class: "small", click: () => this.onEdit(number) }, "Edit sentence"),
      ),
    );
    this.card.hidden = false;
    this.beside(at.getBoundingClientRect());
  }

  looks(word) {
    if (!word.looks.length) return element("p", { class: "quiet" }, UNHEARD);
    const lines = word.looks.slice(0, 5).map((look) =>
      element(
        "li",
        {},
        element("span", { class: `origin ${look.origin}`, "aria-hidden": "true" }),
        element("b", {}, look.text),
        element("span", { class: "where" }, whence(look.sentence, this.onGo), ` ${whose(look.origin)}`),
        meter(look.share),
        element("span", { class: "figure" }, percent(look.share)),
      ),
    );
    return element("ul", { "aria-label": "Looked at" }, ...lines);
  }

  /** Below the word, within the window; a phone has it at its lower edge, and the word above it. */
  beside(word) {
    const { width, height, top: edge } = this.card.getBoundingClientRect();
    if (NARROW.matches) {
      scrollBy(0, Math.max(0, word.bottom + 8 - edge));
      return;
    }
    const left = Math.min(Math.max(8, word.left - 12), innerWidth - width - 8);
    const below = word.bottom + 6;
    const top = below + height > innerHeight - 8 ? Math.max(8, word.top - height - 6) : below;
    this.card.style.setProperty("--left", `${left}px`);
    this.card.style.setProperty("--top", `${top}px`);
  }
}

/** Say what would stand here without memory, and the whole sentence then. */
function without(word, alone) {
  const said = word.differs ? element("b", {}, word.alone || "the end of the sentence") : "the same";
  const line = element("p", { class: "without" }, element("span", { class: "quiet" }, "Without memory: "), said);
  return alone ? [line, element("p", { class: "quiet" }, alone)] : [line];
}

/** Whose word it is goes without saying if it is the model's own. */
function whose(origin) {
  return origin === "own" ? "" : ORIGINS[origin];
}

function meter(value) {
  const bar = element("span", { class: "meter", "aria-hidden": "true" });
  bar.style.setProperty("--value", value.toFixed(3));
  return bar;
}

/** Return what the card says, for those who hear it. */
export function spoken(word) {
  const looks = word.looks
    .slice(0, 3)
    .map((look) => `${look.text}, ${look.sentence < 1 ? "earlier" : `sentence ${look.sentence}`}, ${percent(look.share)}`);
  const heard = `Memory heard ${percent(word.heard)}.`;
  const asked = looks.length ? ` Looked at ${looks.join("; ")}.` : ` ${UNHEARD}`;
  const alone = word.differs ? ` Without memory: ${word.alone || "the end of the sentence"}.` : "";
  return heard + asked + alone;
}
