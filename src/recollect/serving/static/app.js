// The page: puts its parts together, and knows which document is open.

import { download, keepKey, onKeyWanted } from "./api.js";
import { Composer } from "./composer.js";
import { Documents } from "./documents.js";
import { byId } from "./elements.js";
import { Glossary } from "./glossary.js";
import { HeatMap } from "./heatmap.js";
import { Memory } from "./memory.js";
import { Sentences } from "./sentences.js";
import { Session } from "./session.js";
import { calm, complain, say, show } from "./status.js";
import { counted, languageName, listed } from "./wording.js";

const sentences = new Sentences();
const memory = new Memory((number) => goTo(number));
const glossary = new Glossary();
const heat = new HeatMap();
const documents = new Documents(() => (location.hash = ""));
const composer = new Composer(async ({ id }) => {
  await documents.load();
  location.hash = id;
});
let session = null;

async function openFromAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  session?.close();
  session = null;
  calm();
  closeDrawers();
  document.body.dataset.view = id ? "document" : "composer";
  documents.mark(id);
  if (!id) {
    composer.show();
    show("");
    document.title = "Recollect";
    byId("new-text").focus();
    return;
  }
  composer.hide();
  try {
    const opened = await Session.open(id);
    if (decodeURIComponent(location.hash.slice(1)) !== id) return opened.close();
    use(opened);
  } catch (error) {
    complain(error);
  }
}

function use(opened) {
  session = opened;
  heat.clear();
  sentences.show(session);
  memory.show(session);
  glossary.show(session);
  session.addEventListener("record", writeHeader);
  session.addEventListener("sentence", writeProgress);
  session.addEventListener("followed", ({ detail }) => tellFollowed(detail));
  session.addEventListener("refused", ({ detail }) => complain(detail));
  session.addEventListener("connection", ({ detail }) => {
    document.body.classList.toggle("disconnected", !detail);
    byId("connection").textContent = detail ? "" : "Connection lost; trying again.";
  });
  const [source, target] = session.languages;
  byId("head-source").textContent = languageName(source);
  byId("head-target").textContent = languageName(target);
  writeHeader();
}

function writeHeader() {
  byId("name").textContent = session.name;
  document.title = `${session.name} · Recollect`;
  byId("undo").disabled = !session.canUndo;
  const mode = session.comparing ? "compare" : session.remembers ? "on" : "off";
  byId(`memory-${mode}`).checked = true;
  document.body.classList.toggle("comparing", Boolean(session.comparing));
  writeProgress();
}

function writeProgress() {
  const count = session.sentences.length;
  const { waiting } = session;
  const human = session.sentences.filter(({ state }) => state === "corrected" || state === "confirmed").length;
  const bar = byId("progress");
  bar.max = count || 1;
  bar.value = count - waiting;
  bar.hidden = waiting === 0;
  byId("count").textContent = waiting
    ? `${counted(count - waiting, "sentence")} of ${count.toLocaleString("en")}`
    : `${counted(count, "sentence")}, ${human} by you`;
}

/** Tell which sentences followed what a person did. */
function tellFollowed({ sentences: changed }) {
  if (!changed.length) return;
  const numbers = listed(changed.map(({ number }) => number));
  const text = changed.length === 1 ? `Sentence ${numbers} followed.` : `Sentences ${numbers} followed.`;
  show(text, { label: "Next change", act: () => goToChange() }, { label: "Undo", act: undo });
  say(text);
}

function goToChange() {
  goTo(Math.max(1, sentences.current));
  sentences.goToChange(1);
}

function goTo(number) {
  closeDrawers();
  sentences.go(number);
}

async function undo() {
  if (!session?.canUndo) return say("There is nothing to undo.");
  try {
    const { undone } = await session.undo();
    show(`Undone: ${undone}.`);
    return say(`Undone: ${undone}.`);
  } catch (error) {
    return complain(error);
  }
}

async function chooseMode(mode) {
  try {
    const on = mode !== "off";
    if (on !== session.remembers) await session.remember(on);
    await session.compare(mode === "compare");
    say({ on: "With memory.", compare: "With and without memory, side by side.", off: "Without memory." }[mode]);
  } catch (error) {
    complain(error);
    writeHeader();
  }
}

function askForKey(refused) {
  const dialog = byId("key-dialog");
  byId("key-note").textContent = refused ? "The server does not know that key." : "";
  byId("key").value = "";
  dialog.showModal();
  return new Promise((resolve) => {
    byId("key-form").addEventListener("submit", () => resolve(keepKey(byId("key").value.trim())), { once: true });
  });
}

function closeDrawers() {
  delete document.body.dataset.drawer;
  for (const id of ["documents-button", "panel-button"]) byId(id).setAttribute("aria-expanded", "false");
}

function toggleDrawer(name) {
  const open = document.body.dataset.drawer !== name;
  closeDrawers();
  if (!open) return;
  document.body.dataset.drawer = name;
  byId(`${name}-button`).setAttribute("aria-expanded", "true");
  byId(name).focus();
}

/** Go from region to region: documents, sentences, memory. */
function nextRegion(backwards) {
  const regions = [byId("documents"), byId("main"), byId("panel")];
  const here = regions.findIndex((region) => region.contains(document.activeElement));
  const next = (here + (backwards ? regions.length - 1 : 1)) % regions.length;
  if (regions[next] === byId("main")) {
    closeDrawers();
    if (session) sentences.go(sentences.current);
    else byId("new-text").focus();
  } else {
    if (getComputedStyle(regions[next]).position === "fixed") toggleDrawer(regions[next].id);
    regions[next].focus();
  }
}

function typed(event) {
  const writing = event.target.closest?.("textarea, input[type=text], input[type=search], input[type=password]");
  const command = event.ctrlKey || event.metaKey;
  if (event.key === "F6") {
    event.preventDefault();
    nextRegion(event.shiftKey);
  } else if (event.key === "Escape") {
    if (sentences.card.shown) sentences.leave();
    closeDrawers();
  } else if (command && event.key === "z" && !writing && session) {
    event.preventDefault();
    undo();
  } else if (!writing && !command && !event.altKey && byId("sentences").contains(event.target)) {
    if (event.key === "m") chooseMode(session.remembers ? "off" : "on");
    else if (event.key === "d") chooseMode(session.comparing ? "on" : "compare");
    else if (event.key === "?") byId("help").showModal();
  }
}

sentences.addEventListener("explained", ({ detail }) => heat.show(detail.number, detail.explained));
sentences.addEventListener("pointed", ({ detail }) => {
  heat.show(detail.number, detail.explained);
  heat.point(detail.place);
  memory.point(detail.explained.words[detail.place].looks);
});
sentences.addEventListener("left", () => {
  heat.point(-1);
  memory.point([]);
});
for (const mode of ["on", "compare", "off"]) byId(`memory-${mode}`).addEventListener("change", () => chooseMode(mode));
byId("undo").addEventListener("click", undo);
byId("download").addEventListener("click", async () => {
  try {
    show(`Saved as ${await download(`${session.path}/file`)}.`);
  } catch (error) {
    complain(error);
  }
});
byId("more-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = byId("more-text").value.trim();
  if (!text) return;
  try {
    await session.append(text);
    byId("more-text").value = "";
  } catch (error) {
    complain(error);
  }
});
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("new-button").addEventListener("click", () => (location.hash = ""));
byId("trouble-close").addEventListener("click", calm);
for (const name of ["documents", "panel"]) byId(`${name}-button`).addEventListener("click", () => toggleDrawer(name));
byId("veil").addEventListener("click", closeDrawers);
addEventListener("keydown", typed);
addEventListener("hashchange", openFromAddress);
onKeyWanted(askForKey);
documents.load().catch(complain);
openFromAddress();
