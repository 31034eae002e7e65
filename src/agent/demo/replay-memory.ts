import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Remembered } from "./remembered.ts";
import { textContent } from "./text-content.ts";

/** What a session remembers, in the updates that a client would have seen then. */
export function replayMemory(history: readonly Remembered[]): readonly SessionUpdate[] {
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
