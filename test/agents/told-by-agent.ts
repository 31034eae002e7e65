import { execFileSync, spawn } from "node:child_process";
import { globSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { readByClaude } from "../import/conversations/claude-reader.ts";

/** A conversation according to the agent's own reader: prompts and answers, in order. */
export interface OwnReader {
  readonly session: string;
  /** The agent's working folder, and its home. */
  readonly work: string;
  readonly user: string;
  /** Its environment and its program. */
  readonly env: Readonly<Record<string, string>>;
  readonly program: string;
}

/** Agents that have a reader of their own. */
export const TOLD_BY_AGENT: Readonly<Record<string, (of: OwnReader) => Promise<string[]>>> = {
  async claude({ session, work, user }) {
    process.env.CLAUDE_CONFIG_DIR = join(user, ".claude");
    try {
      const told = await readByClaude(session, work);
      // Claude Code records an interruption as the user's text, and Belay as the turn's outcome.
      return told.filter(
        (text) => !/^(?:tool_use|tool_result|thinking) |^\[Request interrupted by user/.test(text),
      );
    } finally {
      delete process.env.CLAUDE_CONFIG_DIR;
    }
  },

  async codex({ session, work, env, program }) {
    const codex = join(dirname(program), "codex");
    const server = spawn(codex, ["app-server"], {
      cwd: work,
      env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object): Promise<unknown> => {
      server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
      for (;;) {
        const { value, done } = await answers.next();
        if (done) throw new Error("codex app-server ended");
        const message = Rpc.parse(JSON.parse(value));
        if (message.id === id) return message.result;
      }
    };
    try {
      const clientInfo = { name: "belay-tests", version: "0" };
      await ask(1, "initialize", { clientInfo });
      server.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
      const read = await ask(2, "thread/read", { threadId: session, includeTurns: true });
      const { thread } = CodexThread.parse(read);
      return thread.turns.flatMap(({ items }) =>
        items.flatMap(({ type, text, content }) => {
          if (type === "agentMessage") return text ?? [];
          return type === "userMessage" ? textsIn(content) : [];
        }),
      );
    } finally {
      server.kill();
    }
  },

  async opencode({ session, work, env, program }) {
    const told = execFileSync(program, ["export", session], { cwd: work, env, encoding: "utf8" });
    const { messages } = OpencodeExport.parse(JSON.parse(told.slice(told.indexOf("{"))));
    return messages.flatMap(({ parts }) => {
      const texts = parts.filter(({ type, synthetic }) => type === "text" && synthetic !== true);
      return texts.map(({ text = "" }) => text);
    });
  },

  async gemini({ session, user, program }) {
    const bundle = join(dirname(program), "..", "@google", "gemini-cli", "bundle");
    const core = readdirSync(bundle).find((name) => /^core-\w+\.js$/.test(name)) ?? "";
    const module: unknown = await import(pathToFileURL(join(bundle, core)).href);
    const short = session.slice(0, 8);
    const [file = ""] = globSync(join(user, ".gemini", "tmp", "*", "chats", `*${short}.jsonl`));
    const { messages } = GeminiRecord.parse(
      await GeminiCore.parse(module).loadConversationRecord(file),
    );
    return messages
      .filter(({ type }) => type === "user" || type === "gemini")
      .flatMap(({ content }) => (typeof content === "string" ? [content] : textsIn(content)))
      .filter((text) => text !== "");
  },
};

const Text = z.object({ type: z.string().optional(), text: z.string().optional() });
const Rpc = z.object({ id: z.unknown().optional(), result: z.unknown().optional() });
const CodexThread = z.object({
  thread: z.object({
    turns: z.array(
      z.object({
        items: z.array(Text.extend({ type: z.string(), content: z.unknown().optional() })),
      }),
    ),
  }),
});
const OpencodeExport = z.object({
  messages: z.array(
    z.object({ parts: z.array(Text.extend({ synthetic: z.boolean().optional() })) }),
  ),
});
const GeminiCore = z.object({
  loadConversationRecord: z.function({ input: [z.string()], output: z.unknown() }),
});
const GeminiRecord = z.object({
  messages: z.array(z.object({ type: z.string(), content: z.unknown().optional() })),
});

function textsIn(content: unknown): string[] {
  const parts = z.array(Text).safeParse(content).data ?? [];
  return parts.flatMap(({ text }) => text ?? []);
}
