// The heat map of a sentence: its words down the side, remembered words along the top, how much was heard of each.

import { byId, element, unseen } from "./elements.js";
import { percent } from "./wording.js";

const COLUMNS = 10;
const LEAST = 0.02;
const SPOKEN = /[\p{L}\p{N}]/u;

export class HeatMap {
  constructor() {
    this.title = byId("heat-title");
    this.place = byId("heat");
  }

  clear(note = "") {
    this.title.textContent = "Sentence";
    this.place.replaceChildren(...(note ? [element("p", { class: "quiet" }, note)] : []));
  }

  show(number, explained) {
    this.title.textContent = `Sentence ${number}`;
    const columns = consulted(explained.words);
    if (!columns.length) {
      const note = "The memory was not heard here: the sentence would be the same without it.";
      this.place.replaceChildren(element("p", { class: "quiet" }, note));
      return;
    }
    const rows = explained.words
      .map((word, place) => ({ ...word, place }))
      .filter((word) => SPOKEN.test(word.text))
      .map((word) => this.row(word, columns));
    this.place.replaceChildren(
      element(
        "table",
        { class: "heat" },
        element("caption", { class: "unseen" }, `What was heard of remembered words, sentence ${number}`),
        element("thead", {}, element("tr", {}, element("td"), ...columns.map(heading))),
        element("tbody", {}, ...rows),
      ),
    );
    if (explained.alone && explained.alone !== explained.text) {
      this.place.append(
        element("p", { class: "alone-line" }, element("span", { class: "quiet" }, "Without memory: "), explained.alone),
      );
    }
  }

  row(word, columns) {
    const cells = columns.map((column) => {
      const weight = word.looks.find((look) => key(look) === column.key)?.weight ?? 0;
      const cell = element("td", { title: `${word.text} ← ${column.text} (${column.sentence}): ${percent(weight)}` });
      cell.style.setProperty("--weight", weight.toFixed(3));
      if (weight >= LEAST) cell.append(unseen(percent(weight)));
      return cell;
    });
    return element("tr", { "data-place": word.place }, element("th", { scope: "row" }, word.text), ...cells);
  }

  /** Set off the row of a word. */
  point(place) {
    for (const row of this.place.querySelectorAll("tbody tr")) {
      row.classList.toggle("pointed", Number(row.dataset.place) === place);
    }
  }
}

function key(look) {
  return `${look.sentence} ${look.origin} ${look.text}`;
}

function heading({ text, sentence, origin }) {
  return element(
    "th",
    { scope: "col" },
    element(
      "span",
      { class: "upright" },
      element("span", { class: `origin ${origin}`, "aria-hidden": "true" }),
      `${text} `,
      element("small", {}, sentence > 0 ? `${sentence}` : "earlier"),
    ),
  );
}

/** Return the remembered words that were heard most in a sentence, in the order of the document. */
function consulted(words) {
  const found = new Map();
  for (const look of words.flatMap((word) => (SPOKEN.test(word.text) ? word.looks : []))) {
    const before = found.get(key(look)) ?? { ...look, key: key(look), weight: 0 };
    found.set(key(look), { ...before, weight: before.weight + look.weight });
  }
  return [...found.values()]
    .filter((look) => look.weight >= LEAST)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, COLUMNS)
    .sort((a, b) => a.sentence - b.sentence || a.place - b.place);
}
