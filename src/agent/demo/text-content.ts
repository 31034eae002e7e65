import type { ToolCallContent } from "@agentclientprotocol/sdk/unstable";

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** A longer text is cut and marked. */
export function bounded(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (cut)` : text;
}
