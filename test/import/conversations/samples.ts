import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { ClaudeLines } from "./claude-lines.ts";

/** A conversation of one tool; every record with content contains a unique word. */
export interface Sample {
  readonly file: string;
  readonly records: readonly unknown[];
  /** The word of each record; null for one without content. */
  readonly words: readonly (string | null)[];
}

const TURNS = 6;

/** Counts the words of a sample: each record uses the next. */
class Words {
  readonly all: (string | null)[] = [];

  next(): string {
    const word = `word${this.all.length}end`;
    this.all.push(word);
    return word;
  }

  none(): void {
    this.all.push(null);
  }
}

export const LINE_SAMPLES: Partial<Record<ImportTool, () => Sample>> = {
  "claude-code": () => {
    const claude = new ClaudeLines("44444444-aaaa-4bbb-8ccc-000000000001");
    const words = new Words();
    for (let turn = 0; turn < TURNS; turn += 1) {
      claude.user(`please ${words.next()}`);
      claude.calls(`toolu_${turn}`, "Bash", { command: `echo ${words.next()}` });
      claude.returns(`toolu_${turn}`, `out ${words.next()}`);
      claude.says(`done ${words.next()}`);
    }
    return { file: `p/${claude.session}.jsonl`, records: claude.records, words: words.all };
  },
  codex: () => {
    const words = new Words();
    const records: unknown[] = [codexMeta()];
    words.none();
    for (let turn = 0; turn < TURNS; turn += 1) {
      const call_id = `call_${turn}`;
      records.push(
        codex("event_msg", { type: "user_message", message: `please ${words.next()}` }),
        codex("response_item", {
          ...{ type: "function_call", name: "shell", call_id },
          arguments: JSON.stringify({ command: ["echo", words.next()] }),
        }),
        codex("response_item", { type: "function_call_output", call_id, output: words.next() }),
        codex("response_item", {
          ...{ type: "message", role: "assistant" },
          content: [{ type: "output_text", text: `done ${words.next()}` }],
        }),
      );
    }
    return { file: `sessions/2026/01/05/${CODEX_FILE}`, records, words: words.all };
  },
  gemini: () => {
    const words = new Words();
    const records: unknown[] = [GEMINI_HEAD];
    words.none();
    for (let turn = 0; turn < TURNS; turn += 1) {
      records.push(
        gemini(`u${turn}`, "user", `please ${words.next()}`),
        gemini(`g${turn}`, "gemini", `done ${words.next()}`),
      );
    }
    return {
      file: "hash/chats/session-2026-01-05T10-00-55555555.jsonl",
      records,
      words: words.all,
    };
  },
  qwen: () => {
    const words = new Words();
    const records: unknown[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const call = { id: `call-${turn}`, name: "run_shell_command" };
      records.push(
        qwen(records.length, "user", [{ text: `please ${words.next()}` }]),
        qwen(records.length + 1, "assistant", [
          { functionCall: { ...call, args: { command: words.next() } } },
        ]),
        qwen(records.length + 2, "tool_result", [
          { functionResponse: { ...call, response: { output: words.next() } } },
        ]),
        qwen(records.length + 3, "assistant", [{ text: `done ${words.next()}` }]),
      );
    }
    return {
      file: "-home-ann/chats/66666666-aaaa-4bbb-8ccc-000000000001.jsonl",
      records,
      words: words.all,
    };
  },
  copilot: () => {
    const words = new Words();
    const records: unknown[] = [
      copilot("session.start", {
        sessionId: "77777777-aaaa-4bbb-8ccc-000000000001",
        context: { cwd: "/home/ann/shop", branch: "main" },
      }),
    ];
    words.none();
    for (let turn = 0; turn < TURNS; turn += 1) {
      const toolCallId = `tool-${turn}`;
      const call = { toolCallId, name: "bash", arguments: { command: words.next() } };
      records.push(
        copilot("user.message", { content: `please ${words.next()}` }),
        copilot("assistant.message", { content: "", toolRequests: [call] }),
        copilot("tool.execution_complete", {
          toolCallId,
          success: true,
          result: { content: words.next() },
        }),
        copilot("assistant.message", { content: `done ${words.next()}`, toolRequests: [] }),
      );
      // The call was named before the prompt.
      const at = records.length - 4;
      [words.all[at], words.all[at + 1]] = [words.all[at + 1] ?? null, words.all[at] ?? null];
    }
    return { file: "77777777-aaaa-4bbb-8ccc-000000000001/events.jsonl", records, words: words.all };
  },
  cursor: () => {
    const words = new Words();
    const records: unknown[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const query = `<user_query>\nplease ${words.next()}\n</user_query>`;
      records.push(
        { role: "user", message: { content: [{ type: "text", text: query }] } },
        {
          role: "assistant",
          message: { content: [{ type: "text", text: `done ${words.next()}` }] },
        },
      );
    }
    const id = "88888888-aaaa-4bbb-8ccc-000000000001";
    return { file: `shop/agent-transcripts/${id}/${id}.jsonl`, records, words: words.all };
  },
};

let minute = 0;
function time(): string {
  minute += 1;
  return new Date(Date.UTC(2026, 0, 5, 10, minute)).toISOString();
}

export const CODEX_ID = "99999999-aaaa-7bbb-8ccc-000000000001";
export const CODEX_FILE = `rollout-2026-01-05T10-00-00-${CODEX_ID}.jsonl`;

export function codexMeta(more: Record<string, unknown> = {}): unknown {
  const git = { branch: "main" };
  return codex("session_meta", {
    id: CODEX_ID,
    cwd: "/home/ann/shop",
    cli_version: "0.163.0",
    git,
    ...more,
  });
}

export function codex(type: string, payload: Record<string, unknown>): unknown {
  return { timestamp: time(), type, payload };
}

export const GEMINI_HEAD = {
  sessionId: "55555555-aaaa-4bbb-8ccc-000000000001",
  projectHash: "hash",
  startTime: "2026-01-05T10:00:00.000Z",
  lastUpdated: "2026-01-05T10:00:00.000Z",
  kind: "main",
  directories: ["/home/ann/shop"],
};

export function gemini(
  id: string,
  type: string,
  text: string,
  more: Record<string, unknown> = {},
): unknown {
  return { id, timestamp: time(), type, content: [{ text }], ...more };
}

export function qwen(
  n: number,
  type: string,
  parts: unknown[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const uuid = (at: number) => `66666666-0000-4000-8000-${String(at).padStart(12, "0")}`;
  return {
    uuid: uuid(n),
    parentUuid: n === 0 ? null : uuid(n - 1),
    sessionId: "66666666-aaaa-4bbb-8ccc-000000000001",
    timestamp: time(),
    type,
    cwd: "/home/ann/shop",
    message: { role: type === "assistant" ? "model" : "user", parts },
    ...more,
  };
}

let events = 0;
export function copilot(
  type: string,
  data: Record<string, unknown>,
  more: Record<string, unknown> = {},
): unknown {
  events += 1;
  return { id: `event-${events}`, timestamp: time(), type, data, ...more };
}
