// The open document: what the server knows of it, kept up to date by its events, and what a person does to it.

import { request } from "./api.js";
import { listen } from "./events.js";
import { differing } from "./words.js";

export class Session extends EventTarget {
  /** Fetch a document and follow what becomes of it. */
  static async open(id) {
    return new Session(await request("GET", `v1/sessions/${id}`));
  }

  constructor(record) {
    super();
    this.take(record);
    this.mark();
    this.closing = new AbortController();
    this.listening = listen(() => `${this.path}/events?after=${this.revision}`, (event) => this.hear(event), {
      signal: this.closing.signal,
      onState: (connected) => this.tell("connection", connected),
    }).catch((error) => this.tell("refused", error));
  }

  /** Follow it no longer; nothing more is asked of the server, nothing that was asked is answered. */
  close() {
    this.closing.abort();
  }

  get closed() {
    return this.closing.signal.aborted;
  }

  get path() {
    return `v1/sessions/${this.id}`;
  }

  /** Return a sentence, counted from 1 as people do. */
  at(number) {
    return this.sentences[number - 1];
  }

  /** Return what a sentence was at the mark. */
  before(number) {
    return this.marked[number - 1] ?? null;
  }

  /** How many sentences are still to be translated. */
  get waiting() {
    return this.sentences.filter((sentence) => sentence.state === "waiting").length;
  }

  /** Remember how the text stands now: what differs later is shown as changed. `acted` is left out. */
  mark(acted = null) {
    this.marked = this.sentences.map((sentence) => sentence.text);
    this.acted = acted;
  }

  /** Return the numbers of the words of a sentence that have changed since the mark. */
  changedWords(number) {
    const [before, now] = [this.before(number), this.at(number).text];
    if (!before || !now || before === now || number === this.acted) return new Set();
    return differing(now, before, this.languages[1]);
  }

  take(record) {
    this.id = record.id;
    this.name = record.name || record.sentences[0]?.source || "Untitled";
    this.revision = record.revision;
    this.changed = record.changed; // seconds since 1970
    this.languages = record.languages;
    this.remembers = record.memory;
    this.file = record.file; // its name, or null: text that was typed here
    this.sentences = record.sentences.map((sentence, place) => newer(sentence, this.sentences?.[place]));
    this.glossary = record.glossary;
    this.flags = record.flags;
    this.following = record.waiting > 0;
    this.undoable = record.undo; // what would be undone, or null
  }

  /** Fetch everything again: flags and what can be undone are not part of the events. */
  async refresh() {
    const record = await this.ask("GET", this.comparing ? "?alone=true" : "");
    if (record.revision >= this.revision) this.take(record); // an answer may be overtaken by a later one
    this.tell("record");
  }

  hear({ name, data }) {
    if (name === "sentence") {
      this.sentences[data.number - 1] = newer(data, this.at(data.number));
      this.tell("sentence", data.number);
    } else if (name === "changed") {
      this.tell("followed", data);
    } else if (name === "done") {
      this.refresh().catch((error) => this.tell("refused", error));
    }
    if (data.revision > this.revision) this.revision = data.revision;
  }

  tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  ask(method, path, body) {
    return request(method, `${this.path}${path}`, body, this.closing.signal);
  }

  async act(method, path, body, acted = null) {
    this.mark(acted);
    this.following = true; // until the server says that nothing is waiting
    this.tell("following");
    try {
      const found = await this.ask(method, path, body);
      await this.refresh();
      return found;
    } catch (error) {
      this.following = false;
      this.tell("following");
      throw error;
    }
  }

  correct(number, text) {
    return this.act("PUT", `/sentences/${number}`, { text }, number);
  }

  confirm(number) {
    return this.act("POST", `/sentences/${number}/confirm`, undefined, number);
  }

  undo() {
    return this.act("POST", "/undo");
  }

  remember(on) {
    return this.act("PUT", "/memory", { on });
  }

  append(text) {
    return this.act("POST", "/sentences", { text });
  }

  change(verb, word) {
    return this.act("POST", `/memory/${verb}`, { word });
  }

  agree(terms) {
    return this.act("PUT", "/glossary", { terms });
  }

  memory() {
    return this.ask("GET", "/memory");
  }

  explain(number) {
    return this.ask("GET", `/sentences/${number}/explain`);
  }

  /** Say whether what would be said without memory is wanted beside each sentence. */
  compare(on) {
    this.comparing = on;
    return this.refresh();
  }
}

/** Return the newer of two states of a sentence: what an event told may overtake an answer. */
function newer(told, known) {
  const newest = known && known.revision > told.revision ? known : told;
  // What is said without memory depends on nothing that a person does.
  return { ...newest, alone: told.alone ?? known?.alone ?? null };
}
