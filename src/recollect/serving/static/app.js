// The page: puts its parts together, and knows which document is open.

import { keepKey, onKeyWanted, Refused } from "./api.js";
import { Composer } from "./composer.js";
import { Documents } from "./documents.js";
import { byId } from "./elements.js";
import { Glossary } from "./glossary.js";
import { Header } from "./header.js";
import { HeatMap } from "./heatmap.js";
import { Memory } from "./memory.js";
import { closeDrawers, nextRegion, watchDrawers } from "./regions.js";
import { Sentences } from "./sentences.js";
import { Session } from "./session.js";
import { calm, calmIfAnswered, complain } from "./status.js";

const sentences = new Sentences();
const header = new Header(() => sentences.goToChange(1));
const memory = new Memory((number) => goTo(number));
const glossary = new Glossary();
const heat = new HeatMap();
const documents = new Documents(() => leave());
const composer = new Composer((record) => documents.note(record), go);
const GONE = "There is no such document here: it was deleted, has not been touched for long, or is of another key.";
let session = null;

/** Open the document whose id is in the address, or an empty sheet. */
async function openFromAddress() {
  const id = location.hash.slice(1);
  close();
  calm();
  closeDrawers();
  documents.mark(id);
  if (!id) return compose();
  document.body.dataset.view = "document";
  composer.hide();
  try {
    const opened = await Session.open(id);
    if (location.hash.slice(1) === id) return use(opened);
    return opened.close();
  } catch (error) {
    if (error.status === 404) documents.drop(id);
    if (location.hash.slice(1) === id) compose();
    return complain(error.status === 404 ? new Refused(GONE, 404) : error);
  }
}

/** Show an empty sheet. */
function compose() {
  document.body.dataset.view = "composer";
  header.clear();
  composer.show();
}

/** Go to a document; resolves when it is being opened. */
function go(id) {
  const gone = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  location.hash = id;
  return gone;
}

function close() {
  session?.close();
  session = null;
  sentences.pointing.leave();
}

function leave() {
  close();
  location.hash = "";
}

function use(opened) {
  session = opened;
  heat.clear();
  for (const part of [header, sentences, memory, glossary]) part.show(session);
  documents.note(session);
  session.addEventListener("record", () => documents.note(session));
  session.addEventListener("connection", ({ detail }) => detail && calmIfAnswered());
  session.addEventListener("refused", ({ detail }) => complain(detail));
  enterText();
}

function showHeat({ number, explained }) {
  heat.show(number, explained, ["corrected", "confirmed"].includes(session.at(number).state));
}

function goTo(number) {
  closeDrawers();
  sentences.go(number);
}

function enterText() {
  if (session) sentences.go(sentences.current);
  else byId("new-text").focus();
}

function askForKey(refused) {
  byId("key-note").textContent = refused ? "The server does not know that key." : "";
  byId("key").value = "";
  byId("key-dialog").showModal();
  return new Promise((resolve, reject) => {
    const closed = () => {
      const key = byId("key").value.trim();
      if (key) resolve(keepKey(key));
      else reject(new Refused("This server asks for a key; reload the page to give one.", 401));
    };
    byId("key-dialog").addEventListener("close", closed, { once: true });
  });
}

async function addMore(event) {
  event.preventDefault();
  const text = byId("more-text").value.trim();
  if (!text) return;
  try {
    await session.append(text);
    byId("more-text").value = "";
  } catch (error) {
    complain(error);
  }
}

function typed(event) {
  const writing = event.target.closest?.("textarea, input:not([type=radio])");
  const command = event.ctrlKey || event.metaKey;
  if (event.key === "F6") {
    event.preventDefault();
    nextRegion(event.shiftKey, enterText);
  } else if (event.key === "Escape") {
    if (sentences.pointing.card.shown) sentences.pointing.leave();
    closeDrawers();
  } else if (command && event.key === "z" && !writing && session) {
    event.preventDefault();
    header.undo();
  } else if (!writing && !command && !event.altKey && byId("sentences").contains(event.target)) {
    if (event.key === "m") header.toggleMemory();
    else if (event.key === "d") header.toggleDifference();
    else if (event.key === "?") byId("help").showModal();
  }
}

sentences.addEventListener("explained", ({ detail }) => showHeat(detail));
sentences.pointing.addEventListener("pointed", ({ detail }) => {
  showHeat(detail);
  heat.point(detail.place);
  memory.point(detail.explained.words[detail.place].looks);
});
sentences.pointing.addEventListener("left", () => {
  heat.point(-1);
  memory.point([]);
});
byId("more-form").addEventListener("submit", addMore);
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("new-button").addEventListener("click", () => {
  location.hash = "";
  byId("new-text").focus();
});
byId("trouble-close").addEventListener("click", calm);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  enterText();
});
addEventListener("keydown", typed);
addEventListener("hashchange", openFromAddress);
onKeyWanted(askForKey);
watchDrawers();
documents.load().catch(complain);
openFromAddress();
