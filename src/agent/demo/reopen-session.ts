import { setTimeout } from "node:timers/promises";
import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { DemoAgent } from "./demo-agent.ts";
import type { DemoSession } from "./demo-session.ts";
import { openSession } from "./demo-session.ts";
import { forever } from "./forever.ts";
import type { Remembered } from "./remembered.ts";
import { textContent } from "./text-content.ts";

const MINUTE = 60_000;
/** Late enough for the answer to be sent. */
const LATE_MS = 50;

/** A session in its last stored state, whether its process ended well or was killed. */
export async function reopenSession(
  { flags, memory }: DemoAgent,
  way: "load" | "resume",
  id: string,
  cwd: string,
): Promise<DemoSession> {
  if (flags.has(`${way}-hangs` as const)) await forever();
  const code = flags.valueOf(`${way}-fails` as const);
  if (code !== null) throw new RequestError(code, `session/${way} does not work today`);

  const history = memory.read(id);
  if (!history) throw RequestError.sessionNotFound(id);
  if (flags.has("single") && memory.isOpenElsewhere(id)) {
    throw RequestError.invalidRequest(undefined, "another process has this session open");
  }
  if (way === "load" && flags.has("minute-bug") && wasMadeThisMinute(history)) {
    memory.wipe(id);
    throw RequestError.internalError(undefined, "two files of one minute have the same name");
  }
  memory.markOpen(id);
  return openSession(id, cwd, history, flags.has("forget-mode"));
}

export async function sendReplay(
  session: DemoSession,
  client: AgentContext,
  late: boolean,
): Promise<void> {
  const updates = replayMemory(session.history);
  const inTime = late ? Math.floor(updates.length / 2) : updates.length;
  const send = async (part: readonly SessionUpdate[]): Promise<void> => {
    for (const update of part) {
      await client.notify(methods.client.session.update, { sessionId: session.id, update });
    }
  };
  await send(updates.slice(0, inTime));
  // A client that has disconnected by then misses nothing.
  if (late) void setTimeout(LATE_MS).then(() => send(updates.slice(inTime)).catch(() => {}));
}

function wasMadeThisMinute(history: readonly Remembered[]): boolean {
  const made = history.find((line) => line.kind === "session");
  if (!made) return false;
  return Math.floor(made.made_at / MINUTE) === Math.floor(Date.now() / MINUTE);
}

/** A session's memory as the updates that a client would have seen. */
function replayMemory(history: readonly Remembered[]): readonly SessionUpdate[] {
  const announced = new Set<string>();
  return history.flatMap((line): SessionUpdate[] => {
    switch (line.kind) {
      case "prompt":
        return [
          { sessionUpdate: "user_message_chunk", content: { type: "text", text: line.text } },
        ];
      case "answer":
        return [
          { sessionUpdate: "agent_message_chunk", content: { type: "text", text: line.text } },
        ];
      case "tool": {
        const isNew = !announced.has(line.id);
        announced.add(line.id);
        const call = {
          toolCallId: line.id,
          title: line.title,
          kind: line.tool,
          status: line.status,
          content: line.output === "" ? [] : [textContent(line.output)],
        };
        return [
          isNew
            ? { sessionUpdate: "tool_call", ...call }
            : { sessionUpdate: "tool_call_update", ...call },
        ];
      }
      default:
        return [];
    }
  });
}
