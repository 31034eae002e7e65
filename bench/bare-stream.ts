import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The minimum that streams an agent's answer: the output of its pipe is written to all listeners. */
const agent = spawn(process.execPath, [join(import.meta.dirname, "clock-agent.ts")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const listeners = new Set<ServerResponse>();

const server = createServer((request, response) => {
  if (request.method === "POST") {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const prompt = [{ type: "text", text }];
      const asked = { id: 1, method: "session/prompt", params: { prompt } };
      agent.stdin.write(`${JSON.stringify(asked)}\n`);
      response.end();
    });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("retry: 1000\n\n");
  listeners.add(response);
  response.on("close", () => listeners.delete(response));
});

createInterface({ input: agent.stdout }).on("line", (line) => {
  const { id, params } = JSON.parse(line);
  const event =
    id === undefined
      ? `event: delta\ndata: ${JSON.stringify({ text: params.update.content.text })}\n\n`
      : "event: turn.ended\ndata: {}\n\n";
  for (const listener of listeners) listener.write(event);
});

process.on("SIGTERM", () => {
  agent.stdin.end();
  process.exit();
});
server.listen(0, "127.0.0.1", () => {
  const address: AddressInfo | string | null = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
