import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { Directives } from "../directive.ts";
import { readNumbers, splitFirstWord } from "../directive.ts";
import { runCommand } from "../run-command.ts";
import { bounded } from "../text-content.ts";
import { ToolCall, type ToolResult, useTool } from "../tool-call.ts";

const FILE_SHOWN = 16 * 1024;

/** Tool calls that really do what they announce. */
export const TOOLS = {
  read: {
    takes: "FILE",
    doc: "read a file",
    run: async (turn, rest) => {
      const path = resolve(turn.session.cwd, rest);
      const use = { kind: "read", title: `Read ${rest}`, input: { path }, path } as const;
      const { ok, text } = await useTool(turn, use, async () =>
        attempt(() => bounded(readFileSync(path, "utf8"), FILE_SHOWN)),
      );
      await turn.say(ok ? `I read ${rest}.` : `I did not read ${rest}: ${text}`);
    },
  },

  write: {
    takes: "FILE TEXT",
    doc: "write a file, if you allow it",
    run: async (turn, rest) => {
      const { first: name, text } = splitFirstWord(rest);
      const path = resolve(turn.session.cwd, name);
      const before = attempt(() => readFileSync(path, "utf8"));
      const oldText = before.ok ? before.text : null;
      const diff = { type: "diff", path, oldText, newText: text } as const;
      const use = {
        kind: "edit",
        title: `Write ${name}`,
        input: { path, text },
        path,
        preview: [diff],
      } as const;
      const result = await useTool(turn, use, async () => {
        const written = attempt(() => {
          writeFileSync(path, text);
          return `${Buffer.byteLength(text)} bytes`;
        });
        return written.ok ? { ...written, content: [diff] } : written;
      });
      await turn.say(result.ok ? `I wrote ${name}.` : `I did not write ${name}: ${result.text}`);
    },
  },

  run: {
    takes: "COMMAND",
    doc: "run a shell command, if you allow it",
    run: async (turn, command) => {
      const { cwd } = turn.session;
      const use = { kind: "execute", title: command, input: { command, cwd } } as const;
      const result = await useTool(turn, use, async (call) => {
        const { code, output } = await runCommand(command, {
          cwd,
          signal: turn.signal,
          onOutput: (text) => call.show(text),
        });
        const text = output || `It ended with code ${code} and said nothing.`;
        return { ok: code === 0, text, output: { exit_code: code, output } };
      });
      await turn.say(
        result.ok ? "The command is done." : `The command is not done: ${result.text}`,
      );
    },
  },

  fetch: {
    takes: "URL",
    doc: "fetch an address, if you allow it; without a network that fails",
    run: async (turn, url) => {
      const use = { kind: "fetch", title: `Fetch ${url}`, input: { url } } as const;
      const { text } = await useTool(turn, use, async () => ({
        ok: false,
        text: "I have no network.",
      }));
      await turn.say(`I did not fetch ${url}: ${text}`);
    },
  },

  ask: {
    takes: "QUESTION",
    doc: "ask for permission and say the answer",
    run: async (turn, question) => {
      const call = new ToolCall(turn, { kind: "other", title: question, input: { question } });
      let chosen: PermissionOption;
      try {
        chosen = await call.announceAndAsk(() => call.ask(ODD_OPTIONS));
      } catch (error) {
        await call.giveUp();
        throw error;
      }
      const text = `You chose ${chosen.kind} (${chosen.name}).`;
      await call.finish({ ok: chosen.kind.startsWith("allow"), text });
      await turn.say(`${text}`);
    },
  },

  tools: {
    takes: "N",
    doc: "make N tool calls at once, then complete them all",
    run: async (turn, rest) => {
      const [count = 3] = readNumbers(rest);
      const calls = Array.from({ length: count }, (_, at) => {
        const title = `Look at part ${at + 1} of ${count}`;
        return new ToolCall(turn, { kind: "read", title, input: { part: at + 1 } });
      });
      try {
        const allowed = await Promise.all(
          calls.map((call) => call.announceAndAsk(() => call.isAllowed())),
        );
        for (const call of calls) await call.start();
        for (const [at, call] of calls.entries()) {
          await call.finish({ ok: allowed[at] === true, text: `Part ${at + 1}.` });
        }
      } catch (error) {
        for (const call of calls) await call.giveUp();
        throw error;
      }
      await turn.say(`I made ${count} tool calls at once.`);
    },
  },
} as const satisfies Directives;

/** Ids without meaning, so that the choice must follow the kind. */
const ODD_OPTIONS = [
  { optionId: "q7", kind: "allow_once", name: "Yes, this time" },
  { optionId: "∞", kind: "allow_always", name: "Yes, always" },
  { optionId: "allow", kind: "reject_once", name: "No, not now" },
  { optionId: "0", kind: "reject_always", name: "No, never" },
] as const satisfies readonly PermissionOption[];

function attempt(work: () => string): ToolResult {
  try {
    return { ok: true, text: work() };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}
