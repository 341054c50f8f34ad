// Lines from a word to the remembered words that it consulted: between the lines of text, never across them.

import { byId, drawn } from "./elements.js";

const LEAST = 0.03; // heard of a remembered word, for a line to be drawn
const LANE = 6; // between lines that go side by side
const GAP = 4; // between a word and the line that goes along below or above it
const HIGH = 20; // the height of a label at the edge
const BEND = 5; // the radius of corners

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
    word.classList.add("pointed");
    for (const { target, look } of this.ends()) {
      if (target.classList.contains("word")) target.classList.add("consulted", look.origin);
    }
    this.draw();
  }

  clear() {
    this.shown?.word.classList.remove("pointed");
    this.shown = null;
    this.drawing.replaceChildren();
    for (const each of this.grid.querySelectorAll(".consulted")) {
      each.classList.remove("consulted", "own", "correction", "glossary", "earlier");
    }
  }

  /** Return where each line ends: the word looked at, or its sentence where the word is not in the text. */
  ends() {
    return this.shown.looks.flatMap((look) => {
      const cell = this.grid.querySelector(`[data-number="${look.sentence}"] .target`);
      return cell ? [{ look, target: cell.querySelectorAll(".word")[look.place] ?? cell }] : [];
    });
  }

  draw() {
    if (!this.shown) return;
    const frame = this.drawing.getBoundingClientRect();
    const from = this.shown.word.getBoundingClientRect();
    const edge = this.shown.word.closest(".target").getBoundingClientRect().left;
    const top = Math.max(frame.top, 0) + 26; // below the heads of the columns
    let outside = 0; // lines that lead further up than can be seen: each has a line of its own for its label
    this.drawing.replaceChildren(
      ...this.ends().flatMap(({ look, target }, lane) => {
        const to = target.getBoundingClientRect();
        const above = to.bottom < top; // than what can be seen: the line ends at the edge, and says where it leads
        return line(look, lane, {
          start: { x: from.left + from.width / 2 - frame.left + 3 * lane, y: from.top - frame.top - 1 },
          end: {
            x: to.left + Math.min(to.width, 80) / 2 - frame.left,
            y: (above ? top + 8 + HIGH * outside++ : to.bottom + 1) - frame.top,
          },
          gutter: edge - frame.left - LANE * Math.min(lane, 2) - 4, // further out is the source
          above,
        });
      }),
    );
    for (const label of this.drawing.querySelectorAll("text")) label.before(ground(label));
  }
}

/** Return what makes a label readable above text. */
function ground(label) {
  const { x, y, width, height } = label.getBBox();
  return drawn("rect", { x: x - 4, y: y - 1, width: width + 8, height: height + 2, rx: 3, class: "ground" });
}

function line(look, lane, { start, end, gutter, above }) {
  const [low, high] = [start.y - GAP - 2 * lane, end.y + GAP + 2 * lane];
  const corners =
    low - high < 2 * BEND
      ? [[start.x, low], [end.x, low]] // the next line: there is nothing to go around
      : [[start.x, low], [gutter, low], [gutter, high], [end.x, high]];
  const parts = [
    drawn("path", {
      d: rounded([[start.x, start.y], ...corners, [end.x, end.y]]),
      class: `link ${look.origin}`,
      "stroke-width": (1.2 + 1.8 * look.weight).toFixed(2),
    }),
    drawn("circle", { cx: end.x, cy: end.y, r: 3, class: `knot ${look.origin}` }),
  ];
  if (above) {
    const label = drawn("text", { x: end.x + 7, y: end.y + 4, class: "edge" });
    label.textContent = `↑ ${look.sentence} ${look.text}`;
    parts.push(label);
  }
  return parts;
}

/** Return a path through points at right angles, its corners rounded. */
function rounded(points) {
  const path = [`M${points[0].join(" ")}`];
  for (let at = 1; at < points.length - 1; at++) {
    const [before, corner, after] = points.slice(at - 1, at + 2);
    path.push(`L${towards(corner, before).join(" ")}Q${corner.join(" ")} ${towards(corner, after).join(" ")}`);
  }
  return `${path.join("")}L${points.at(-1).join(" ")}`;
}

/** Return the point a little way from one point towards another. */
function towards([x, y], [otherX, otherY]) {
  const [across, down] = [otherX - x, otherY - y];
  const way = Math.min(BEND, Math.hypot(across, down) / 2) / (Math.hypot(across, down) || 1);
  return [x + across * way, y + down * way];
}
