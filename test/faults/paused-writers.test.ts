import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { LENGTHS_MS, pauseAll, pauses, skipUnlessPossible, WAYS } from "./pause-all.ts";
import { pauseWriter } from "./pause-writer.ts";

const root = realpathSync(temporaryFolder());
afterEach(() => vi.unstubAllEnvs());

/** Before a write of the commit, and before its sync: both times with the lock. */
const stores = [
  ["sqlite", ["W belay.db-wal 40", "S belay.db-wal 9"]],
  ["files", ["W commits.ndjson 12", "S commits.ndjson 9"]],
] as const;

describe.each(stores)("a writer to %s that is stopped inside of a commit", (kind, points) => {
  it.for(WAYS)("loses, doubles and reorders nothing, $where", pauses, async (way, context) => {
    const { isApart, where } = way;
    skipUnlessPossible(context, isApart);
    const trials = points.flatMap((stop) =>
      LENGTHS_MS.map((ms) => ({ stop, ms, isApart, isLocked: true })),
    );
    const codes = await pauseAll(join(root, kind, where), { BELAY_STORE: kind }, trials);
    expect(codes.filter((code) => code !== "store_busy")).toEqual([]);
  });
});

it("control: losses are found if nobody takes the lock of the files", pauses, async (context) => {
  skipUnlessPossible(context, false);
  vi.stubEnv("BELAY_STORE", "files");
  const folder = join(root, "unlocked");
  const trial = { stop: "W commits.ndjson 20", ms: 1000, isApart: false, isLocked: false };
  const env = { BELAY_STORE: "files" };
  const { problems } = await pauseWriter({ ...trial, folder, env, isUnlocked: true });
  expect(problems).not.toEqual([]);
});
