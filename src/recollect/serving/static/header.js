// The head and foot of the page: which document, with or without memory, how far, what followed what.

import { download } from "./api.js";
import { byId } from "./elements.js";
import { complain, say, show } from "./status.js";
import { counted, languageName, listed } from "./wording.js";

const MODES = {
  on: "With memory.",
  compare: "With and without memory, side by side.",
  off: "Without memory.",
};

export class Header {
  constructor(goToChange) {
    this.goToChange = goToChange;
    for (const mode of Object.keys(MODES)) {
      byId(`memory-${mode}`).addEventListener("change", () => this.choose(mode));
    }
    byId("undo").addEventListener("click", () => this.undo());
    byId("download").addEventListener("click", () => this.download());
  }

  show(session) {
    this.session = session;
    this.coming = false;
    session.addEventListener("record", () => this.write());
    session.addEventListener("sentence", () => this.writeProgress());
    session.addEventListener("following", () => {
      show(""); // what followed before is past
      this.writeProgress();
    });
    session.addEventListener("followed", ({ detail }) => this.tell(detail));
    session.addEventListener("connection", ({ detail }) => {
      byId("connection").textContent = detail ? "" : "Connection lost; trying again.";
    });
    const [source, target] = session.languages;
    byId("head-source").textContent = languageName(source);
    byId("head-target").textContent = languageName(target);
    this.write();
  }

  clear() {
    this.session = null;
    byId("name").textContent = "";
    byId("connection").textContent = "";
    document.title = "Recollect";
    show("");
  }

  get mode() {
    if (this.session.comparing) return "compare";
    return this.session.remembers ? "on" : "off";
  }

  write() {
    const { name, undoable, comparing } = this.session;
    byId("name").textContent = name;
    document.title = `${name} · Recollect`;
    byId("undo").disabled = !undoable;
    byId("undo").title = undoable ? `Undo the ${undoable}` : "";
    byId(`memory-${this.mode}`).checked = true;
    byId("more-form").hidden = this.session.file !== null; // a file comes back as it was, translated
    document.body.classList.toggle("comparing", Boolean(comparing));
    this.writeProgress();
  }

  writeProgress() {
    const { sentences, waiting, following } = this.session;
    const count = sentences.length;
    const human = sentences.filter(({ state }) => state === "corrected" || state === "confirmed").length;
    const bar = byId("progress");
    bar.hidden = !waiting && !following;
    bar.max = count || 1;
    if (waiting) bar.value = count - waiting;
    else bar.removeAttribute("value"); // how many follow is known only afterwards
    byId("count").textContent = waiting
      ? `${(count - waiting).toLocaleString("en")} of ${counted(count, "sentence")}`
      : `${counted(count, "sentence")}${human ? `, ${human.toLocaleString("en")} by you` : ""}`;
    if (this.coming && !waiting) say(`${counted(count, "sentence")} ${count === 1 ? "is" : "are"} translated.`);
    this.coming = waiting > 0;
  }

  /** Tell which sentences followed what a person did. */
  tell({ what, sentences }) {
    const done = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
    const numbers = listed(sentences.map(({ number }) => number));
    const which = sentences.length === 1 ? "sentence" : "sentences";
    const text = sentences.length ? `${done}: ${which} ${numbers} followed.` : `${done}: nothing else changes.`;
    const next = { label: "Next change", act: () => this.goToChange() };
    show(text, ...(sentences.length ? [next] : []));
    say(text);
  }

  async undo() {
    if (!this.session?.undoable) return say("There is nothing to undo.");
    try {
      const { undone } = await this.session.undo();
      show(`Undone: ${undone}.`);
      return say(`Undone: ${undone}.`);
    } catch (error) {
      return complain(error);
    }
  }

  /** Translate with memory, without it, or show both. */
  async choose(mode) {
    try {
      const on = mode !== "off";
      if (on !== this.session.remembers) await this.session.remember(on);
      await this.session.compare(mode === "compare");
      say(MODES[mode]);
    } catch (error) {
      complain(error);
      this.write();
    }
  }

  toggleMemory() {
    return this.choose(this.session.remembers ? "off" : "on");
  }

  toggleDifference() {
    return this.choose(this.session.comparing ? "on" : "compare");
  }

  async download() {
    try {
      show(`Saved as ${await download(`${this.session.path}/file`)}.`);
    } catch (error) {
      complain(error);
    }
  }
}
