import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { importChore } from "../../../src/integrations/serve-imports.ts";
import { isAlive } from "../../../src/process/process-identity.ts";
import { newId } from "../../../src/service/new-id.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { ImportPlace, lines } from "./import-place.ts";
import { CODEX_FILE, codex, codexMeta } from "./samples.ts";
import { watchStalls } from "./watch-stalls.ts";

const MEGABYTE = 1024 * 1024;
// `npm run test:import` tries every one of these files, each with 200 MB.
const isLong = process.env.BELAY_DAMAGED_FILES !== undefined;
const SIZE = (isLong ? 200 : 12) * MEGABYTE;
/** The longest wait of others while an import runs in the same process. */
const BAR_MS = 100;

/** Writes turns until the file has its size; returns how many. */
function fill(path: string, turnOf: (turn: number) => string): number {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  let turns = 0;
  for (let size = 0; size < SIZE; turns += 1) size += writeSync(file, turnOf(turns));
  closeSync(file);
  return turns;
}

const LARGE: readonly [ImportTool, (home: string) => number][] = [
  [
    "claude-code",
    (home) => {
      const claude = new ClaudeLines("55555555-aaaa-4bbb-8ccc-0000000000bc");
      return fill(join(home, ".claude/projects/p", `${claude.session}.jsonl`), (turn) => {
        claude.user(`please ${turn}`);
        claude.calls(`toolu_${turn}`, "Bash", { command: `cat ${turn}` });
        claude.returns(`toolu_${turn}`, "x".repeat(turn % 200 === 0 ? 961_000 : 16_000));
        claude.says(`done ${turn}`);
        return lines(claude.records.splice(0));
      });
    },
  ],
  [
    "codex",
    (home) => {
      const path = join(home, ".codex/sessions", CODEX_FILE);
      const turns = fill(path, (turn) =>
        lines([
          ...(turn === 0 ? [codexMeta()] : []),
          codex("event_msg", { type: "user_message", message: `please ${turn}` }),
          codex("response_item", {
            ...{ type: "message", role: "assistant" },
            content: [{ type: "output_text", text: `done ${turn} ${"x".repeat(16_000)}` }],
          }),
        ]),
      );
      writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)));
      rmSync(path);
      return turns;
    },
  ],
  [
    "chatgpt",
    (home) => {
      const chat = (n: number) => ({
        conversation_id: `cccccccc-aaaa-4bbb-8ccc-${String(n).padStart(12, "0")}`,
        ...{ title: `Chat ${n}`, create_time: 1_767_600_000, current_node: "a" },
        mapping: {
          u: { id: "u", parent: null, message: said("user", `please ${n}`) },
          a: { id: "a", parent: "u", message: said("assistant", "x".repeat(400_000)) },
        },
      });
      const said = (role: string, text: string) => ({
        ...{ id: role, author: { role }, create_time: 1_767_600_001, recipient: "all" },
        content: { content_type: "text", parts: [text] },
      });
      const path = join(home, "Downloads/conversations.json");
      return fill(path, (n) => `${n === 0 ? "[" : ","}${JSON.stringify(chat(n))}`);
    },
  ],
];

it.each(isLong ? LARGE : LARGE.slice(0, 1))(
  "a server answers others while it imports a large file of %s",
  async (tool, write) => {
    const place = new ImportPlace();
    const folder = join(place.folder, "home");
    mkdirSync(folder);
    const store = await openSqliteStore({ folder, isAlive });
    try {
      const turns = write(place.folder);
      const context = { store, now: () => place.now, newId };
      const places = { env: {}, userHome: place.folder, owner: "local" };
      const [chore] = importChore(context, places, [tool]);
      const stall = watchStalls();
      const done = await chore?.run(AbortSignal.timeout(300_000));
      expect(done).toMatchObject({ counts: { turns, damaged: 0 } });
      expect(stall.end()).toBeLessThan(BAR_MS);
    } finally {
      await store.close();
      place.remove();
    }
  },
  300_000,
);
