import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBelay } from "../../src/index.ts";
import { checkOrder } from "./check-order.ts";
import { readTrace } from "./read-trace.ts";
import { traceWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();

describe("the system calls of an append", () => {
  it("are write, fsync, anchor, acknowledgement, for each of a thousand appends", async () => {
    const { ordered, problems } = await trace("one-by-one", 1000, 1);
    say(`order of fsync and acknowledgement: ${ordered} of 1000 appends one by one`);
    expect(problems).toEqual([]);
    expect(ordered).toBe(1000);
  });

  it("have that order also if sixteen callers share a commit", async () => {
    const { ordered, problems } = await trace("sixteen", 480, 16);
    say(`order of fsync and acknowledgement: ${ordered} of 480 appends, 16 at a time`);
    expect(problems).toEqual([]);
    expect(ordered).toBe(480);
  });

  it.each(["unsynced", "hasty"] as const)("control: a wrong order is found: %s", async (mode) => {
    const { ordered, problems } = await trace(mode, 50, 1, mode);
    say(`control: ${ordered} of 50 appends in order, ${mode}: ${problems[0]}`);
    expect(ordered).toBe(0);
    expect(problems).toHaveLength(50);
  });
});

async function trace(name: string, count: number, width: number, mode = "honest") {
  const folder = join(root, name);
  const home = join(folder, "home");
  const said = join(folder, "said");
  const output = join(folder, "trace");
  mkdirSync(folder);
  const paths = ["belay.db", "belay.db-wal", "anchor.log"].map((file) => join(home, file));
  const strace = [
    ...["--seccomp-bpf", "-y", "-s", "4096", "-o", output],
    ...["-e", "trace=pwrite64,write,fsync,fdatasync"],
    ...[...paths, said].flatMap((path) => ["-P", path]),
  ];
  const args = [home, said, `${count}`, `${width}`, mode];
  const { code, stderr } = await traceWorker(strace, "appending", args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

  const belay = await openBelay({ home });
  const { entity_id } = await belay.sessions.get({ id: "appended-session" });
  await belay.close();
  return checkOrder(readTrace(output, entity_id));
}
