import { promptsOf } from "./demo-session.ts";
import type { Remembered } from "./remembered.ts";
import { bounded } from "./text-content.ts";

const QUOTED = 300;

/** The demo agent's answer to a message, given its memory. */
export function answerMessage(message: string, before: readonly Remembered[]): string {
  const told = promptsOf(before);
  if (asksForMemory(message)) return listMemory(told);
  const [, wish] = /^\s*(?:please\s+)?remember\b[:,]?\s*(.+)/is.exec(message) ?? [];
  const opening = wish
    ? `I will remember: ${bounded(oneLine(wish), QUOTED)}`
    : `You said: "${bounded(oneLine(message), QUOTED)}"`;
  return `${opening}\n${countMemory(told.length)}`;
}

function asksForMemory(message: string): boolean {
  return /what do you remember|what did i (?:say|tell|ask)|what have i (?:said|told)/i.test(
    message,
  );
}

function listMemory(told: readonly string[]): string {
  if (told.length === 0) return "Nothing yet: this is the first message of our session.";
  const list = told.map((text, at) => `${at + 1}. ${bounded(oneLine(text), QUOTED)}`);
  return [`I remember ${messages(told.length)} from you:`, ...list].join("\n");
}

function countMemory(earlier: number): string {
  if (earlier === 0) return "It is the first message of our session. I will remember it.";
  return `I remember ${messages(earlier)} from before it.`;
}

function messages(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
