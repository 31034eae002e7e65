import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Belay, openBelay } from "../../src/index.ts";
import { copyData } from "./copy-data.ts";
import { runWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
chmodSync(root, 0o755);
const id = "public-session";

describe("a folder that cannot be written to", () => {
  it.each(["closed", "crashed"] as const)(
    "refuses writes as storage_read_only, and is read or says why not: %s",
    async (state) => {
      const home = await prepare(state);
      const before = contents(home);
      const ending = await runWorker("visitor", [home, id]);
      const { read, write, browse } = Visit.parse(JSON.parse(ending.stdout));
      say(`read-only folder, ${state}: read ${read}; write ${write}; for reading only ${browse}`);
      expect(write).toBe("storage_read_only");
      expect(["3 events", "storage_read_only"]).toContain(read);
      if (state === "closed") expect(browse).toBe("3 events");
      expect(contents(home)).toEqual(before);
    },
  );

  it("would be seen: the same visitor in a folder that all may write to does write", async () => {
    const home = await prepare("closed");
    for (const name of readdirSync(home)) allow(join(home, name), 0o666);
    allow(home, 0o777);
    const ending = await runWorker("visitor", [home, id]);
    expect(Visit.parse(JSON.parse(ending.stdout))).toMatchObject({ write: "version 4" });
  });
});

const Visit = z.object({ read: z.string(), write: z.string(), browse: z.string() });

/** A session for all to read and nobody to change, with or without a log of writes beside the database. */
async function prepare(state: string): Promise<string> {
  const home = join(root, `${state}-${readdirSync(root).length}`);
  const origin = join(home, "origin");
  mkdirSync(home);
  const belay = await openBelay({ home: state === "closed" ? home : origin });
  await write(belay);
  if (state === "crashed") copyData(origin, home);
  await belay.close();
  for (const name of ["belay.db", "belay.db-wal", "anchor.log"]) allow(join(home, name), 0o444);
  allow(home, 0o555);
  return home;
}

async function write(belay: Belay): Promise<void> {
  await belay.sessions.create({ agent_name: "worker", session_id: id });
  await belay.turns.record({ id, input: "hello", output: "world" });
}

function allow(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch {
    // A closed database has no log of writes.
  }
}

function contents(home: string) {
  const files = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => [name, readFileSync(join(home, name), "base64")]);
}
