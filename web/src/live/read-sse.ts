/** One message of a text/event-stream. */
export interface SseMessage {
  /** The id to resume from; null if the message has none. */
  readonly id: string | null;
  readonly event: string;
  /** Empty if there is only an id. */
  readonly data: string;
}

/** Reads a body as it arrives. Ends when the server ends it, throws when the connection breaks. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = readBlock(block);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Null for a comment, which the server sends as a heartbeat. */
function readBlock(block: string): SseMessage | null {
  let id: string | null = null;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "id") id = value ?? "";
    if (field === "event") event = value ?? "";
    if (field === "data") data.push(value ?? "");
  }
  return id === null && data.length === 0 ? null : { id, event, data: data.join("\n") };
}
