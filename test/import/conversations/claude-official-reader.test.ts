import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { claudeTranscripts } from "../../../src/integrations/claude/transcripts/claude-transcripts.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { lines } from "./import-place.ts";

const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
});
const Messages = z.array(
  z.object({ message: z.object({ content: z.union([z.string(), z.array(Block)]) }) }),
);
const Sdk = z.object({
  getSessionMessages: z.function({
    input: [z.string(), z.object({ dir: z.string() })],
    output: z.unknown(),
  }),
});

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

// It fetches the reader, so it is a part of `npm run test:import`, not of `npm test`.
describe.runIf(process.env.BELAY_DAMAGED_FILES)(
  "Claude's own reader (fetched by npm run test:import)",
  () => {
    let folder = "";
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "belay-claude-reader-"));
      const name = "@anthropic-ai/claude-agent-sdk@0.3.325";
      const [packed = ""] = execFileSync("npm", ["pack", "--silent", name], {
        cwd: folder,
        encoding: "utf8",
      })
        .trim()
        .split("\n")
        .slice(-1);
      execFileSync("tar", ["xzf", packed], { cwd: folder });
      process.env.CLAUDE_CONFIG_DIR = join(folder, "config");
    }, 120_000);
    afterAll(() => {
      delete process.env.CLAUDE_CONFIG_DIR;
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(Object.entries(TRANSCRIPTS))(
      "tells the same in the same order: %s",
      async (_, make) => {
        const claude = new ClaudeLines("00000001-aaaa-4bbb-8ccc-0000000000aa");
        make(claude);
        const project = join(folder, "config", "projects", "-home-ann-shop");
        mkdirSync(project, { recursive: true });
        const file = join(project, `${claude.session}.jsonl`);
        writeFileSync(file, lines(claude.records));
        const sdk = Sdk.parse(await import(pathToFileURL(join(folder, "package", "sdk.mjs")).href));
        const told = Messages.parse(
          await sdk.getSessionMessages(claude.session, { dir: "/home/ann/shop" }),
        );
        expect([...oursIn(file)]).toEqual(told.flatMap(({ message }) => wordsIn(message.content)));
      },
    );
  },
);

function wordsIn(content: string | z.infer<typeof Block>[]): string[] {
  if (typeof content === "string") return [content];
  return content.map(({ type, text, id, tool_use_id }) => text ?? `${type} ${id ?? tool_use_id}`);
}

function* oursIn(file: string): Generator<string> {
  for (const conversation of claudeTranscripts.read(file, () => {})) {
    const [newest] = conversation.branches(new Map());
    for (const turn of newest?.turns.keys() ?? []) {
      for (const item of newest?.items(turn) ?? []) {
        if (item.kind === "prompt" || item.kind === "said") yield item.text ?? "";
        if (item.kind === "called") yield `tool_use ${item.id}`;
        if (item.kind === "returned") yield `tool_result ${item.id}`;
      }
    }
  }
}
