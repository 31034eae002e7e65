import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../architecture/list-files.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { lines } from "./import-place.ts";

const MEGABYTE = 1024 * 1024;

// `npm run test:import` tries 200 MB, which takes most of a minute.
const [SIZE, HEAP] = process.env.BELAY_DAMAGED_FILES ? [200, 200] : [20, 40];

it(`a transcript of ${SIZE} MB is imported with a heap of ${HEAP} MB`, () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-large-"));
  try {
    const claude = new ClaudeLines("55555555-aaaa-4bbb-8ccc-0000000000bb");
    const path = join(folder, `${claude.session}.jsonl`);
    const file = openSync(path, "w");
    let turns = 0;
    for (let size = 0; size < SIZE * MEGABYTE; turns += 1) {
      claude.user(`please ${turns}`);
      claude.calls(`toolu_${turns}`, "Bash", { command: `cat ${turns}` });
      claude.returns(`toolu_${turns}`, "x".repeat(turns % 200 === 0 ? 961_000 : 16_000));
      claude.says(`done ${turns}`);
      size += writeSync(file, lines(claude.records.splice(0)));
    }
    closeSync(file);
    const program = join(root, "bin", "belay.mjs");
    const env = {
      ...process.env,
      BELAY_HOME: join(folder, "home"),
      NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    };
    const args = [program, "import", "claude-code", path, "--json"];
    const told = execFileSync(process.execPath, args, { env, encoding: "utf8" });
    expect(JSON.parse(told)).toMatchObject({ new_sessions: 1, turns, damaged: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);
