import { createInterface } from "node:readline";

/**
 * A minimal agent of the protocol: each piece of its answer is the time at which it was written, by a clock that all
 * processes of the machine share. A prompt sets the number of pieces and the milliseconds between them.
 */
const session = { sessionId: "clock" };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") answer(id, { protocolVersion: 1, agentCapabilities: {} });
  else if (method === "session/new") answer(id, session);
  else if (method === "session/prompt") tick(id, params.prompt[0].text);
  else if (id !== undefined) answer(id, {});
}

function tick(id: unknown, prompt: string): void {
  const [pieces = 0, apart = 1] = (/(\d+) x (\d+)/.exec(prompt) ?? []).slice(1).map(Number);
  let left = pieces;
  const timer = setInterval(() => {
    const content = { type: "text", text: `${process.hrtime.bigint()} ` };
    const update = { sessionUpdate: "agent_message_chunk", content };
    say({ method: "session/update", params: { ...session, update } });
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    answer(id, { stopReason: "end_turn" });
  }, apart);
}

function answer(id: unknown, result: unknown): void {
  say({ id, result });
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
