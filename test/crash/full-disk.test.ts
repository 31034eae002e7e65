import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Belay, BelayError, openBelay } from "../../src/index.ts";
import { type Acknowledgement, readAcknowledgements } from "./acknowledgements.ts";
import { readMet, refusals } from "./failing-disk.ts";
import { findLosses } from "./find-losses.ts";
import { traceWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const disk = join(root, "disk");
const isMounted = mount();
const home = join(disk, "home");
const ballast = join(disk, "ballast");
const session = "full-session";

afterAll(() => {
  if (isMounted) execFileSync("umount", ["--lazy", disk]);
});

describe("a full disk", () => {
  it.skipIf(!isMounted)(
    "refuses writes as storage_full, serves reads, and accepts writes again once there is space",
    async () => {
      writeFileSync(ballast, Buffer.alloc(1536 * 1024));
      const belay = await openBelay({ home });
      await belay.sessions.create({ agent_name: "worker", session_id: session });
      const kept: Acknowledgement[] = [];
      const first = await fill(belay, kept);
      const second = await fill(belay, kept);
      expect([first, second]).toEqual(["storage_full", "storage_full"]);

      const promised = kept.length;
      const { events } = await belay.sessions.log({ id: session, limit: 1000 });
      expect(events.length).toBeGreaterThanOrEqual(promised);
      expect((await belay.sessions.list({})).sessions.map((one) => one.session_id)).toEqual([
        session,
      ]);

      rmSync(ballast);
      for (let n = 1; n <= 5; n += 1) await append(belay, kept, `with room ${n}`);
      await belay.close();
      const { problems } = await findLosses(home, kept);
      say(
        `full disk: ${promised} turns until storage_full, 5 after room was made, ${problems.length} lost`,
      );
      expect(problems).toEqual([]);
    },
  );

  it.skipIf(!isMounted)("can still be read by a process that starts later", async () => {
    writeFileSync(ballast, "");
    fillUp();
    const before = await readAll();
    rmSync(ballast);
    expect(before).toBe("read");
  });

  it("is reported differently from a failing disk", async () => {
    const folder = join(root, "injected");
    mkdirSync(folder);
    const [place, said] = [join(folder, "home"), join(folder, "said")];
    const fault = "pwrite64:error=ENOSPC:when=75..80";
    const strace = ["-o", "/dev/null", "-e", "trace=pwrite64", "-e", `inject=${fault}`];
    const met = readMet(await traceWorker(strace, "stubborn", [place, said, "12"]));
    const { problems } = await findLosses(place, readAcknowledgements(said));
    expect(new Set(refusals(met))).toEqual(new Set(["storage_full"]));
    expect(met.every(({ reads }) => reads)).toBe(true);
    expect(met.at(-1)?.code).toBeNull();
    expect(problems).toEqual([]);
  });
});

/** Appends until it is refused, and returns the code. */
async function fill(belay: Belay, kept: Acknowledgement[]): Promise<string> {
  try {
    for (;;) await append(belay, kept, `turn ${kept.length}`);
  } catch (error) {
    return error instanceof BelayError ? error.code : `untyped: ${error}`;
  }
}

async function append(belay: Belay, kept: Acknowledgement[], text: string): Promise<void> {
  const output = "x".repeat(2000);
  const { version } = await belay.turns.record({ id: session, input: text, output });
  kept.push({ session, version, text });
}

/** Uses up the remaining space. */
function fillUp(): void {
  try {
    for (;;) writeFileSync(ballast, Buffer.alloc(4096), { flag: "a" });
  } catch {
    // The disk is full now.
  }
}

async function readAll(): Promise<string> {
  try {
    const belay = await openBelay({ home });
    try {
      const { events } = await belay.sessions.log({ id: session, limit: 1000 });
      return events.length > 5 ? "read" : "missing";
    } finally {
      await belay.close();
    }
  } catch (error) {
    return error instanceof BelayError ? error.code : `untyped: ${error}`;
  }
}

function mount(): boolean {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    say("a small disk cannot be mounted here: only the injected fault is tested");
    return false;
  }
}
