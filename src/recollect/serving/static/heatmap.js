// The heat map of a sentence: its words down the side, remembered words along the top, how much was heard of each.

import { byId, element, unseen } from "./elements.js";
import { percent } from "./wording.js";

const COLUMNS = 10;
const LEAST = 0.02;
const SPOKEN = /[\p{L}\p{N}]/u;

export class HeatMap {
  constructor() {
    this.place = byId("heat");
  }

  clear() {
    byId("heat-title").textContent = "Sentence";
    this.place.replaceChildren();
  }

  /** Show what each word heard of the memory; `human`: the words are a person's. */
  show(number, explained, human) {
    byId("heat-title").textContent = `Sentence ${number}`;
    const columns = consulted(explained.words);
    const parts = columns.length
      ? [table(number, explained.words, columns)]
      : [note(human ? "These are a person's words." : "The memory was not heard here.")];
    if (explained.alone !== explained.text) {
      parts.push(element("p", { class: "alone-line" }, note("Without memory: ", "span"), explained.alone));
    }
    this.place.replaceChildren(...parts);
  }

  /** Set off the row of a word. */
  point(place) {
    for (const row of this.place.querySelectorAll("tbody tr")) {
      row.classList.toggle("pointed", Number(row.dataset.place) === place);
    }
  }
}

function note(text, kind = "p") {
  return element(kind, { class: "quiet" }, text);
}

function table(number, words, columns) {
  const rows = words.map((word, place) => (SPOKEN.test(word.text) ? row(word, place, columns) : null));
  return element(
    "table",
    { class: "heat" },
    element("caption", { class: "unseen" }, `What was heard of remembered words, sentence ${number}`),
    element("thead", {}, element("tr", {}, element("td"), ...columns.map(heading))),
    element("tbody", {}, ...rows),
  );
}

function row(word, place, columns) {
  const cells = columns.map((column) => {
    const weight = word.looks.find((look) => key(look) === column.key)?.weight ?? 0;
    const cell = element("td", { title: `${word.text} heard ${column.text} (${column.sentence}): ${percent(weight)}` });
    cell.style.setProperty("--weight", weight.toFixed(3));
    if (weight >= LEAST) cell.append(unseen(percent(weight)));
    return cell;
  });
  return element("tr", { "data-place": place }, element("th", { scope: "row" }, word.text), ...cells);
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
      element("small", {}, sentence > 0 ? `${sentence}` : "start"),
    ),
  );
}

function key(look) {
  return `${look.sentence} ${look.origin} ${look.text}`;
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
