// Requests to the server: JSON in and out, the key with each, one sentence when something is refused.

const KEY = "recollect-key";

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let askForKey = null; // shows the field for the key; resolves when one was given
let asking = null; // one question at a time, whoever asks

/** Say what asks a person for an API key, should the server want one. */
export function onKeyWanted(ask) {
  askForKey = ask;
}

/** Keep a key for as long as this tab is open. */
export function keepKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** Return whether this tab has a key. */
export function hasKey() {
  return sessionStorage.getItem(KEY) !== null;
}

/** Return the server's answer to a request, whatever it is made of; ask for a key where one is missing. */
export async function answer(method, path, { body, file, signal } = {}) {
  for (;;) {
    const headers = {};
    const key = sessionStorage.getItem(KEY);
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(path, { method, headers, signal, body: file ?? JSON.stringify(body) });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refused("The server does not answer. Is it running?", 0);
    }
    if (response.ok) return response;
    if (response.status !== 401 || !askForKey) throw new Refused(await reason(response), response.status);
    asking ??= askForKey(Boolean(key)).finally(() => (asking = null));
    await asking;
  }
}

/** Return the JSON of an answer, or null where there is none. */
export async function request(method, path, body, signal) {
  const response = await answer(method, path, { body, signal });
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The server's answer broke off.", 0);
  }
}

async function reason(response) {
  try {
    const { error } = await response.json();
    if (error) return error;
  } catch {
    // Not JSON: something between here and the server answered.
  }
  const { status } = response;
  if (status >= 502 && status <= 504) return `The server does not answer (${status}). Is it running?`;
  return `The server answered ${status}.`;
}

/** Save what the server sends under the name that it gives. */
export async function download(path) {
  const response = await answer("GET", path);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName(response.headers.get("Content-Disposition") ?? "");
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return link.download;
}

function fileName(disposition) {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition);
  if (encoded) return decodeURIComponent(encoded[1]);
  return /filename="([^"]*)"/i.exec(disposition)?.[1] ?? "translation";
}
