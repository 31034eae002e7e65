import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/contract/errors.ts";
import { findFault } from "./find-fault.ts";
import { listMessages, MESSAGES_FILE } from "./list-messages.ts";
import { type Message, readMessages } from "./read-messages.ts";

const messages = readMessages(new URL("../../src", import.meta.url).pathname).filter(
  ({ file }) => !file.startsWith("store/conformance/"),
);

/** The fault of a message by the mechanical rules; null if there is none. */
function faultOf({ code, text }: Pick<Message, "code" | "text">): string | null {
  if (!/^(?:[A-Z"{]|--|[\w.]+: )/.test(text)) return "does not start like a sentence";
  const fault = findFault(text);
  if (fault !== null) return fault;
  // A command that people copy, or a value, ends without a full stop.
  const isOpen = /(?:: |Usage: )[^.]*$|^Usage: |\}$|\)$/.test(text);
  if (!isOpen && !/[.?]$/.test(text)) return "does not end like a sentence";
  if (!code.startsWith("{") && !Object.hasOwn(ERRORS, code)) return "has an unknown code";
  return null;
}

describe("messages of errors", () => {
  it("are all in docs/messages.md (npm run generate)", () => {
    expect(readFileSync(MESSAGES_FILE, "utf8")).toBe(listMessages());
    expect(messages.length).toBeGreaterThan(250);
  });

  it("follow the rules of plain English that a program can check", () => {
    const faults = messages.flatMap((message) => {
      const fault = faultOf(message);
      return fault === null ? [] : [`${message.file}: ${message.text} (${fault})`];
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ["too many say not who they are: ask again soon", "does not start like a sentence"],
    ["Whoever comes second waits.", "starts badly"],
    ["The server ends", "does not end like a sentence"],
    ["The agent asks for leave.", 'has the word "asks for leave"'],
    ["Too small: expected string to have >=1 characters.", "is raw"],
  ])("control: bad ones are found: %s", (text, fault) => {
    expect(faultOf({ code: "internal", text })).toBe(fault);
  });
});
