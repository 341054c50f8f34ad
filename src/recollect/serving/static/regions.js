// The regions of the page, one key from each other; where there is little room, some are drawers.

import { byId } from "./elements.js";

const DRAWERS = ["documents", "panel"];
const REGIONS = ".bar, #documents, #main, #panel, .foot";

/** Listen for what opens and closes the drawers. */
export function watchDrawers() {
  for (const name of DRAWERS) byId(`${name}-button`).addEventListener("click", () => toggle(name));
  for (const button of document.querySelectorAll(".drawer-close")) button.addEventListener("click", closeDrawers);
  byId("veil").addEventListener("click", closeDrawers);
  addEventListener("resize", () => {
    const name = document.body.dataset.drawer;
    if (name && !byId(`${name}-button`).checkVisibility()) closeDrawers(); // there is room for it now
  });
}

/** Close what is open; the focus goes back to the button that opened it. */
export function closeDrawers() {
  const name = document.body.dataset.drawer;
  if (!name) return;
  delete document.body.dataset.drawer;
  for (const region of document.querySelectorAll(REGIONS)) region.inert = false;
  byId(`${name}-button`).setAttribute("aria-expanded", "false");
  if (byId(name).contains(document.activeElement)) byId(`${name}-button`).focus();
}

function toggle(name) {
  const open = document.body.dataset.drawer !== name;
  closeDrawers();
  if (open) openDrawer(name);
}

function openDrawer(name) {
  document.body.dataset.drawer = name;
  byId(`${name}-button`).setAttribute("aria-expanded", "true");
  // What is behind the veil cannot be reached, by whatever means.
  for (const region of document.querySelectorAll(REGIONS)) region.inert = region.id !== name;
  byId(name).focus();
}

/** Go to the next region, or the one before; `enterText` puts the focus into the text. */
export function nextRegion(backwards, enterText) {
  const regions = [byId("documents"), byId("main"), byId("panel")].filter((region) => region.checkVisibility());
  const here = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(here + (backwards ? regions.length - 1 : 1)) % regions.length];
  closeDrawers();
  if (next.id === "main") enterText();
  else if (getComputedStyle(next).position === "fixed") openDrawer(next.id);
  else next.focus();
}
