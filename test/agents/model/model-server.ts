import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf } from "../../../src/agent/acp/read-fields.ts";
import { anthropicFormat } from "./anthropic-format.ts";
import { chatFormat } from "./chat-format.ts";
import { geminiFormat } from "./gemini-format.ts";
import { isToFail, planReply } from "./plan-reply.ts";
import { responsesFormat } from "./responses-format.ts";
import type { Asked, WireFormat } from "./wire-format.ts";

export interface ModelServer {
  readonly url: string;
  /** All requests to the model, in order. */
  readonly asked: readonly Asked[];
  close(): void;
}

const FORMATS: readonly WireFormat[] = [geminiFormat, anthropicFormat, chatFormat, responsesFormat];

/** Other answers that agents ask for before they start. */
const FACTS: readonly { readonly path: RegExp; readonly fact: Fields }[] = [
  { path: /:countTokens$/, fact: { totalTokens: 10 } },
  { path: /\/count_tokens$/, fact: { input_tokens: 10 } },
  { path: /\/models$/, fact: { object: "list", data: [{ id: "stand-in", object: "model" }] } },
];

/** A model that replaces the vendors': it follows the orders in the prompt, and needs neither key nor network. */
export async function startModelServer(note: (line: string) => void): Promise<ModelServer> {
  const all: Asked[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      note(`the model server failed: ${error}`);
      response.destroy();
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ""] = (request.url ?? "").split("?");
    const body = await readBody(request);
    const format = FORMATS.find((one) => one.path.test(path));
    if (!format) {
      const fact = FACTS.find((one) => one.path.test(path))?.fact;
      if (!fact) note(`model: ${request.method} ${path}: not known`);
      sendJson(response, fact ? 200 : 404, fact ?? {});
      return;
    }
    const asked = format.read(body);
    all.push(asked);
    if (isToFail(asked)) {
      note(`model: ${path}: 500`);
      sendJson(response, 500, { error: { message: "out of order", type: "server_error" } });
      return;
    }
    const reply = planReply(asked, `call_${all.length}`);
    note(`model: ${path}: ${JSON.stringify(reply).slice(0, 200)}`);
    if (!format.wantsStream(body, path)) {
      sendJson(response, 200, format.whole(reply, body));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const { event, data } of format.pieces(reply, body)) {
      if (response.destroyed) return;
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${event ? `event: ${event}\n` : ""}data: ${text}\n\n`);
      if (reply.kind === "text" && reply.pause_ms > 0) await sleep(reply.pause_ms);
    }
    response.end();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: all,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return fieldsOf(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return {};
  }
}

function sendJson(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
