import type { ToolCallContent } from "@agentclientprotocol/sdk/unstable";

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** What is longer is cut, and says so. */
export function bounded(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (cut)` : text;
}
