import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ClaudeLines } from "./claude-lines.ts";
import { fetchClaudeReader, readByClaude } from "./claude-reader.ts";
import { lines } from "./import-place.ts";
import { readByReader } from "./read-by-reader.ts";

const TRANSCRIPTS: Readonly<Record<string, (claude: ClaudeLines) => void>> = {
  "calls and results": (claude) => {
    claude.user("p1");
    claude.calls("toolu_1", "Read", { file_path: "a" });
    claude.returns("toolu_1", "A");
    claude.says("a1");
    claude.user("p2");
    claude.says("a2");
  },
  "a rewound conversation": (claude) => {
    claude.user("p1");
    const answer = claude.says("a1");
    claude.user("p2");
    claude.says("a2");
    claude.user("p3", { parentUuid: answer });
    claude.says("a3");
  },
  "parallel calls": (claude) => {
    claude.user("p1");
    const first = claude.calls("toolu_1", "Read", { file_path: "a" }, "msg_a");
    const second = claude.calls("toolu_2", "Read", { file_path: "b" }, "msg_a");
    claude.returns("toolu_2", "B", { parentUuid: second });
    claude.returns("toolu_1", "A", { parentUuid: first });
    claude.says("a1");
  },
  "records that say nothing": (claude) => {
    claude.user("<local-command-caveat>x", { isMeta: true });
    claude.user("p1");
    claude.add({ type: "progress", data: {} });
    claude.says("a1");
    claude.add({ type: "system", subtype: "turn_duration" });
    claude.user("p2");
    claude.says("a2");
  },
};

let folder = "";
beforeAll(() => {
  fetchClaudeReader();
  folder = mkdtempSync(join(tmpdir(), "belay-claude-reader-"));
  process.env.CLAUDE_CONFIG_DIR = join(folder, "config");
});
afterAll(() => {
  delete process.env.CLAUDE_CONFIG_DIR;
  rmSync(folder, { recursive: true, force: true });
});

it.each(Object.entries(TRANSCRIPTS))(
  "reads the same as Claude's own reader, in the same order: %s",
  async (_, make) => {
    const claude = new ClaudeLines("00000001-aaaa-4bbb-8ccc-0000000000aa");
    make(claude);
    const project = join(folder, "config", "projects", "-home-ann-shop");
    mkdirSync(project, { recursive: true });
    const file = join(project, `${claude.session}.jsonl`);
    writeFileSync(file, lines(claude.records));
    const told = await readByClaude(claude.session, "/home/ann/shop");
    expect(told.length).toBeGreaterThan(0);
    expect(await readByReader("claude-code", file)).toEqual(told);
  },
);
