// What the page says: the line at the foot, what a screen reader hears, and what went wrong.

import { byId, element } from "./elements.js";

let turn = 0;

/** Say something to those who hear the page. */
export function say(text) {
  // Two regions in turn: the same words said twice are heard twice.
  const regions = [byId("heard-one"), byId("heard-two")];
  regions[turn].textContent = "";
  turn = 1 - turn;
  regions[turn].textContent = text;
}

/** Show a sentence at the foot, with what can be done about it: {label, act}. */
export function show(text, ...actions) {
  const buttons = actions.map(({ label, act }) =>
    element("button", { type: "button", class: "small", click: act }, label),
  );
  byId("message").replaceChildren(element("span", {}, text), ...buttons);
}

let unanswered = false; // the last complaint was that the server does not answer

/** Show what went wrong until it is put away or another document is opened. */
export function complain(error) {
  if (error.name === "AbortError") return;
  unanswered = error.status === 0 || error.status >= 500;
  byId("trouble-text").textContent = error.message;
  byId("trouble").hidden = false;
  if (!("status" in error)) throw error; // our own mistake: let the console have it
}

export function calm() {
  byId("trouble").hidden = true;
}

/** The server answers again: no need to say that it does not. */
export function calmIfAnswered() {
  if (unanswered) calm();
}
