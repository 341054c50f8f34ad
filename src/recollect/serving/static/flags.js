// Terms that were said in several ways: a flag in the margin, and what they became where.

import { byId, element, unseen } from "./elements.js";
import { icon } from "./icons.js";
import { whence } from "./wording.js";

/** Return the flags of a sentence. */
export function flagsOf(flags, number) {
  return flags.filter((flag) => flag.sentences.includes(number));
}

/** Return the button in the margin that opens the list of renderings. */
export function flagButton(flag, languages, go) {
  const button = element(
    "button",
    { type: "button", class: "flag", "aria-haspopup": "dialog", click: () => open(flag, button, languages, go) },
    icon("flag"),
    `${flag.renderings.length} ways`,
    unseen(` of saying ${flag.term}`),
  );
  return button;
}

function open(flag, button, [source, target], go) {
  const popover = byId("renderings");
  const follow = (number) => {
    popover.hidePopover();
    go(number);
  };
  const lines = flag.renderings.map(({ text, sentences }) =>
    element(
      "li",
      {},
      element("b", { lang: target }, text || "(not said)"),
      " ",
      ...sentences.map((number) => whence(number, follow)),
    ),
  );
  popover.replaceChildren(
    element("h2", { id: "renderings-title" }, element("span", { lang: source }, flag.term), " is said in several ways"),
    element("ul", {}, ...lines),
  );
  popover.showPopover();
  const at = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  popover.style.setProperty("--left", `${Math.max(8, Math.min(at.right - width, innerWidth - width - 8))}px`);
  popover.style.setProperty("--top", `${Math.max(8, Math.min(at.bottom + 4, innerHeight - height - 8))}px`);
  popover.querySelector("button")?.focus();
}
