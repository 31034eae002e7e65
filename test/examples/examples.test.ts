import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../examples/", import.meta.url));

const SAYS = {
  "answer-permissions.ts": [
    "edit: Write note.txt: approved",
    "Write note.txt: completed",
    "execute: rm note.txt: rejected",
    "rm note.txt: failed",
  ],
  "pipeline-step.ts": ["summary: three findings", "waits for people: suspended"],
  "talk-to-an-agent.ts": ["I will remember: the colour blue", "1. remember the colour blue"],
} as const;

describe("an example", () => {
  it("is in the list, and is run", () => {
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(SAYS));
  });

  it.each(Object.entries(SAYS))("%s runs as it stands", (name, lines) => {
    const home = mkdtempSync(join(tmpdir(), "belay-example-"));
    try {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, name)], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home, BELAY_HOME: join(home, "data") },
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(status).toBe(0);
      for (const line of lines) expect(stdout).toContain(line);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
