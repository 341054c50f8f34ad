// Where a document begins: text that is typed or pasted, or a file that is chosen or dropped.

import { answer, Refused, request } from "./api.js";
import { byId } from "./elements.js";
import { termsIn } from "./glossary.js";
import { calm, complain } from "./status.js";
import { languageName } from "./wording.js";

const SURE = 90; // per cent, for a text to be taken for one in another language

export class Composer {
  /** `onMade` hears of every document that is made, `open` opens one. */
  constructor(onMade, open) {
    this.onMade = onMade;
    this.open = open;
    this.text = byId("new-text");
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin();
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.begin();
    });
    byId("choose-file").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", ({ target }) => this.take(target.files));
    byId("example").addEventListener("click", () => this.showExample());
    this.listenForDrops();
    this.greet().catch(complain);
  }

  /** Return which language is read here; asked once, and again where the server did not answer. */
  async language() {
    this.ready ??= request("GET", "ready");
    try {
      return (await this.ready).languages[0];
    } catch (error) {
      this.ready = null;
      throw error;
    }
  }

  /** Say which language is read here; the example is of use for one of them only. */
  async greet() {
    const language = await this.language();
    this.text.placeholder = `Type or paste ${languageName(language)} text here, or drop a file anywhere.`;
    byId("example").hidden = language !== "zh";
  }

  show() {
    byId("composer").hidden = false;
    this.text.focus();
  }

  hide() {
    byId("composer").hidden = true;
    this.text.value = "";
    byId("new-terms").value = "";
  }

  async begin() {
    const text = this.text.value.trim();
    if (!text) return this.text.focus();
    const glossary = termsIn(byId("new-terms").value);
    return this.send([
      async () => {
        await this.doubt(text);
        return request("POST", "v1/sessions", { name: nameOf(text), text, glossary });
      },
    ]);
  }

  /** Refuse a text that is surely in another language, the first time. */
  async doubt(text) {
    if (text === this.doubted) return;
    const likely = await request("POST", "detect", { q: text.slice(0, 2000) });
    const wanted = await this.language(); // who types at once may be ahead of the greeting
    const [{ language, confidence }] = likely;
    if (confidence < SURE || likely.some((each) => each.language === wanted)) return;
    this.doubted = text;
    const [found, read] = [language, wanted].map(languageName);
    throw new Refused(`This looks like ${found}; ${read} is read here. Translate once more to do it all the same.`, 400);
  }

  /** Upload files; the first becomes the open document. */
  async take(files) {
    await this.send(
      [...files].reverse().map((file) => async () => {
        const form = new FormData();
        form.append("file", file);
        return (await answer("POST", "v1/files", { file: form })).json();
      }),
    );
    byId("file").value = "";
  }

  /** Make documents and open the last of them; what was refused is told of all. */
  async send(posts) {
    const button = byId("begin");
    button.disabled = true;
    const refused = [];
    let made = null;
    for (const post of posts) {
      try {
        made = await post();
        this.onMade(made);
      } catch (error) {
        refused.unshift(error);
      }
    }
    button.disabled = false;
    calm();
    if (made) await this.open(made.id);
    const reasons = [...new Set(refused.map(({ message }) => message))].join(" ");
    if (refused.length) complain(Object.assign(refused[0], { message: reasons }));
  }

  async showExample() {
    const response = await fetch("static/example.txt");
    this.text.value = (await response.text()).trim();
    this.text.focus();
  }

  listenForDrops() {
    const over = byId("drop");
    let depth = 0; // entering a child comes before leaving its parent
    const files = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragenter", (event) => {
      if (!files(event)) return;
      depth += 1;
      over.hidden = false;
    });
    addEventListener("dragleave", () => {
      depth = Math.max(0, depth - 1);
      over.hidden = depth === 0;
    });
    addEventListener("dragover", (event) => files(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!files(event)) return;
      event.preventDefault();
      depth = 0;
      over.hidden = true;
      this.take(event.dataTransfer.files);
    });
  }
}

function nameOf(text) {
  const line = text.split("\n")[0].trim();
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}
