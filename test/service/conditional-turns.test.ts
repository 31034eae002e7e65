import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { BelayError } from "../../src/contract/errors.ts";
import { HOLD_MS } from "../../src/service/conditional-turns.ts";
import { newId } from "../../src/service/new-id.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as } from "./on-memory.ts";

const folder = mkdtempSync(join(tmpdir(), "belay-conditional-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stores: readonly [name: string, open: () => Promise<StreamStore>][] = [
  ["memory", async () => openMemoryStore()],
  ["SQLite", () => openSqliteStore({ folder: join(folder, "home"), isAlive: () => true })],
];
const ATTEMPTS = 60;
const ann = as("ann", "api");

describe.each(stores)("a conditional writer in %s", (_, open) => {
  it("makes progress beside a steady writer, and so does that writer", async () => {
    const store = await open();
    const service = createService({ store, now: Date.now, newId });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, ann);
    const appender = append(() =>
      service.call("update", { id, metadata: { at: Math.random() } }, ann),
    );
    let kept = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { version } = await service.call("get", { id }, ann);
      // As slow as a client of the server.
      await sleep(2);
      kept += await isKept(
        service.call("update", { id, expected_version: version, metadata: { attempt } }, ann),
      );
    }
    const { written, slowest } = await appender.stop();
    const { version } = await service.call("get", { id }, ann);
    await store.close();
    expect(kept).toBeGreaterThan(ATTEMPTS / 5);
    expect(written).toBeGreaterThan(kept);
    // No write is lost, and nobody waits longer than the reserved time.
    expect(version).toBe(1 + written + kept);
    expect(slowest).toBeLessThan(HOLD_MS + 10_000);
  });
});

describe("a conditional writer that does not retry", () => {
  afterEach(() => vi.restoreAllMocks());

  it("delays others once, for a moment", async () => {
    const service = createService({ store: openMemoryStore(), now: Date.now, newId });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, ann);
    const goOn = stopClock();
    const late = service.call("update", { id, expected_version: 9, metadata: { a: 1 } }, ann);
    await expect(late).rejects.toMatchObject({ code: "version_conflict" });
    const held = service.call("update", { id, metadata: { a: 2 } }, ann).then(() => "written");
    expect(await Promise.race([held, sleep(HOLD_MS, "waiting")])).toBe("waiting");
    goOn();
    expect(await held).toBe("written");
  });

  it("does not delay writers of other sessions", async () => {
    const service = createService({ store: openMemoryStore(), now: Date.now, newId });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, ann);
    const { session_id: other } = await service.call("create", { agent_name: "a" }, ann);
    const goOn = stopClock();
    const late = service.call("update", { id, expected_version: 9, metadata: { a: 1 } }, ann);
    await expect(late).rejects.toMatchObject({ code: "version_conflict" });
    const held = service.call("update", { id, metadata: { a: 2 } }, ann).then(() => "held");
    const free = service.call("update", { id: other, metadata: { a: 2 } }, ann).then(() => "free");
    expect(await Promise.race([held, free])).toBe("free");
    goOn();
    await held;
  });
});

/** Stops the clock of holds. The returned function continues it after the time of one hold. */
function stopClock(): () => void {
  let time = process.hrtime.bigint();
  vi.spyOn(process.hrtime, "bigint").mockImplementation(() => time);
  return () => {
    time += BigInt(HOLD_MS * 1e6);
  };
}

/** Writes without a pause until it is stopped. */
function append(write: () => Promise<unknown>) {
  let isStopped = false;
  let written = 0;
  let slowest = 0;
  const running = (async () => {
    while (!isStopped) {
      const began = performance.now();
      await write();
      slowest = Math.max(slowest, performance.now() - began);
      written += 1;
      await nextRound();
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return { written, slowest };
    },
  };
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
