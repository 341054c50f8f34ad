// How the page puts things: numbers, times, places and whose words they are.

import { element } from "./elements.js";

/** What the origins of remembered words are called. */
export const ORIGINS = {
  own: "own output",
  correction: "correction",
  glossary: "glossary",
  earlier: "earlier work",
};

export function percent(value) {
  return `${Math.round(100 * value)} %`;
}

/** Return "1 sentence", "2 sentences", "1,000 sentences". */
export function counted(number, thing) {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** Return "2, 5 and 9". */
export function listed(things) {
  return new Intl.ListFormat("en-GB", { type: "conjunction" }).format(things.map(String));
}

/** Return the English name of a language. */
export function languageName(code) {
  return new Intl.DisplayNames(["en"], { type: "language", fallback: "code" }).of(code) ?? code;
}

/** Return how long ago a moment was. */
export function ago(moment, now = Date.now()) {
  const seconds = Math.max(0, (now - new Date(moment).getTime()) / 1000);
  for (const [size, unit] of [[86_400, "day"], [3600, "hour"], [60, "minute"]]) {
    if (seconds >= size) return `${counted(Math.floor(seconds / size), unit)} ago`;
  }
  return "just now";
}

/** Return where a remembered word is from: a button that goes to its sentence. */
export function whence(sentence, go) {
  if (sentence < 1) return "start";
  const label = `Go to sentence ${sentence}`;
  return element("button", { type: "button", class: "go", "aria-label": label, click: () => go(sentence) }, `${sentence}`);
}
