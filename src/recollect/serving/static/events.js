// Server-sent events by fetch, since an EventSource cannot send a key; a broken connection is taken up again.

import { answer } from "./api.js";

const LONGEST_WAIT = 15_000; // milliseconds

/** Hand every event {name, data} to `take` until `signal` ends it; `address` is asked anew each time. */
export async function listen(address, take, { signal, onState }) {
  let wait = 500;
  while (!signal.aborted) {
    try {
      const response = await answer("GET", address(), { signal });
      onState(true);
      wait = 500;
      for await (const event of events(response.body)) take(event);
    } catch (error) {
      if (signal.aborted) return;
      if (error.status >= 400 && error.status < 500) throw error;
    }
    if (signal.aborted) return;
    onState(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer = (buffer + value).replaceAll("\r\n", "\n");
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
