// The few signs on buttons, drawn so that they look the same in every font.

import { drawn } from "./elements.js";

const PATHS = {
  cross: "M4 4l8 8M12 4l-8 8",
  edit: "M3 13l.8-3.2L10.6 3l2.4 2.4-6.8 6.8z",
  flag: "M4 14V2.5M4 3h8l-2.2 2.8L12 8.6H4",
  pin: "M6 2.5h4l-.4 4L12 9H4l2.4-2.5zM8 9v4.5",
  tick: "M3 8.5l3.2 3.5L13 4.5",
};

/** Return a sign that only eyes need. */
export function icon(name) {
  return drawn("svg", { viewBox: "0 0 16 16", class: `icon ${name}`, "aria-hidden": "true" }, drawn("path", { d: PATHS[name] }));
}
