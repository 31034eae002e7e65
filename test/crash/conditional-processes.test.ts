import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { z } from "zod";
import { BelayError, openBelay } from "../../src/index.ts";
import { startWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const ATTEMPTS = 60;
const Report = z.object({ written: z.number(), slowest: z.number() });
const root = temporaryFolder();

it("a conditional writer makes progress beside a steady writer in another process", async () => {
  const fair = await writeBeside("fair");
  const deaf = await writeBeside("deaf");
  say(
    `beside a steady writer of another process ${fair.kept} of ${ATTEMPTS} conditional writes were kept, ` +
      `beside ${fair.written} of its own, the slowest after ${Math.round(fair.slowest)} ms; ` +
      `control, a writer that is not told: ${deaf.kept} of ${ATTEMPTS}`,
  );
  expect(fair.kept).toBeGreaterThan(ATTEMPTS / 5);
  expect(fair.written).toBeGreaterThan(ATTEMPTS / 5);
  // No write is lost.
  expect(fair.version).toBe(1 + fair.written + fair.kept);
  expect(deaf.kept).toBeLessThan(fair.kept / 2);
});

async function writeBeside(mode: "fair" | "deaf") {
  const home = join(root, mode);
  const id = "contended-session";
  const belay = await openBelay({ home });
  await belay.sessions.create({ agent_name: "a", session_id: id });
  const writer = await startWorker("steady", [home, id, mode]);
  await once(writer, "message");
  writer.send("go");
  while ((await belay.sessions.get({ id })).version < 20) await sleep(5);
  let kept = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { version } = await belay.sessions.get({ id });
    // Like a client that needs time to think.
    await sleep(2);
    kept += await isKept(
      belay.sessions.update({ id, expected_version: version, metadata: { attempt } }),
    );
  }
  writer.send("stop");
  const [message] = await once(writer, "message");
  writer.disconnect();
  const { version } = await belay.sessions.get({ id });
  await belay.close();
  return { kept, version, ...Report.parse(message) };
}

async function isKept(change: Promise<unknown>): Promise<0 | 1> {
  try {
    await change;
    return 1;
  } catch (error) {
    if (error instanceof BelayError && error.code === "version_conflict") return 0;
    throw error;
  }
}
