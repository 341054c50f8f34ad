// Lines from a word to the remembered words that it consulted, over the sentences.

import { byId, drawn } from "./elements.js";

const LEAST = 0.03; // heard of a remembered word, for a line to be drawn

export class Links {
  constructor(grid, scroller) {
    this.grid = grid;
    this.drawing = byId("links");
    this.shown = null;
    const again = () => this.shown && requestAnimationFrame(() => this.draw());
    scroller.addEventListener("scroll", again, { passive: true });
    addEventListener("resize", again);
    addEventListener("scroll", again, { passive: true });
  }

  /** Draw lines from the element of a word to the words that it looked at. */
  show(word, looks) {
    this.clear();
    this.shown = { word, looks: looks.filter((look) => look.weight >= LEAST && look.sentence > 0) };
    for (const { target, look } of this.ends()) {
      if (target.classList.contains("word")) target.classList.add("consulted", look.origin);
    }
    this.draw();
  }

  clear() {
    this.shown = null;
    this.drawing.replaceChildren();
    for (const each of this.grid.querySelectorAll(".consulted")) {
      each.classList.remove("consulted", "own", "correction", "glossary", "earlier");
    }
  }

  /** Return where each line ends: the word looked at, or its sentence where the word is not in the text. */
  ends() {
    return this.shown.looks.flatMap((look) => {
      const row = this.grid.querySelector(`[data-number="${look.sentence}"] .target`);
      return row ? [{ look, target: row.querySelectorAll(".word")[look.place] ?? row }] : [];
    });
  }

  draw() {
    if (!this.shown) return;
    const frame = this.drawing.getBoundingClientRect();
    const top = Math.max(frame.top, this.drawing.parentElement.getBoundingClientRect().top, 0);
    const from = this.shown.word.getBoundingClientRect();
    this.drawing.replaceChildren(
      ...this.ends().flatMap(({ look, target }) => {
        const to = target.getBoundingClientRect();
        const start = { x: from.left + from.width / 2 - frame.left, y: from.top - frame.top };
        const out = to.bottom < top + 8; // above what can be seen: the line ends at the edge, and says where to
        const end = {
          x: to.left + Math.min(to.width, 60) / 2 - frame.left,
          y: out ? top - frame.top + 22 : to.bottom - frame.top,
        };
        return line(look, start, end, out);
      }),
    );
  }
}

function line(look, start, end, out) {
  const bend = Math.max(18, (start.y - end.y) / 2);
  const aside = Math.abs(start.x - end.x) < 30 ? 26 : 0; // a straight line down would strike out the words between
  const path = `M${start.x} ${start.y}C${start.x + aside} ${start.y - bend} ${end.x + aside} ${end.y + bend} ${end.x} ${end.y}`;
  const parts = [
    drawn("path", { d: path, class: `link ${look.origin}`, "stroke-width": (1 + 3 * look.weight).toFixed(2) }),
    drawn("circle", { cx: end.x, cy: end.y, r: 2.5, class: `knot ${look.origin}` }),
  ];
  if (out) {
    const label = drawn("text", { x: end.x, y: end.y - 7, class: "edge", "text-anchor": "middle" });
    label.textContent = `↑ ${look.sentence} ${look.text}`;
    parts.push(label);
  }
  return parts;
}
