import { describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openRecoveryLab } from "../recovery/recovery-lab.ts";
import { as, onMemory } from "./on-memory.ts";

const ACTION = { action_id: "charge-17", type: "charge", effects: "remote" } as const;

async function lab(service = onMemory().service) {
  const caller = as("ann", "library");
  await service.call("create", { agent_name: "shop", session_id: "order-17" }, caller);
  const begin = (more: object = {}, id = "order-17") =>
    service.call("begin_action", { id, ...ACTION, ...more }, caller);
  const complete = (more: object = {}) =>
    service.call(
      "complete_action",
      { id: "order-17", action_id: ACTION.action_id, ...more },
      caller,
    );
  return { service, caller, begin, complete };
}

describe("an action that is completed", () => {
  it("is not started again: the refusal has its result", async () => {
    const { begin, complete } = await lab();
    await begin();
    await complete({ result: "paid", details: { receipt: "R-1" } });
    for (const type of ["charge", "refund"]) {
      await expect(begin({ type })).rejects.toMatchObject({
        code: "action_exists",
        message: expect.stringContaining("already completed"),
        details: {
          action_id: "charge-17",
          status: "completed",
          result: "paid",
          output: { receipt: "R-1" },
        },
      });
    }
    await begin({ action_id: "charge-18" });
  });

  it("gives its first answer to the repeated request with the same key", async () => {
    const { begin, complete } = await lab();
    const first = await begin({ idempotency_key: "once" });
    await complete();
    expect(await begin({ idempotency_key: "once" })).toEqual(first);
    await expect(begin({ idempotency_key: "twice" })).rejects.toMatchObject({
      code: "action_exists",
    });
  });

  it("is completed in a fork from then on, and not in one from before", async () => {
    const { service, caller, begin, complete } = await lab();
    const { version } = await begin();
    await complete();
    await service.call("fork", { id: "order-17", session_id: "after-it" }, caller);
    await service.call("fork", { id: "order-17", session_id: "before-it", at: version }, caller);
    await expect(begin({}, "after-it")).rejects.toMatchObject({
      code: "action_exists",
      details: { result: "success" },
    });
    await begin({}, "before-it");
  });

  it("is started by one of many callers at once, and never twice", async () => {
    const { begin, complete } = await lab();
    const attempt = async (): Promise<string> => {
      try {
        await begin();
        await complete();
        return "done";
      } catch (error) {
        return Object(error).code;
      }
    };
    const repeatedly = async () => [await attempt(), await attempt(), await attempt()];
    const outcomes = (await Promise.all(Array.from({ length: 20 }, repeatedly))).flat();
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["done", "action_exists"]));
  });
});

describe("an action that is not completed", () => {
  it.each(["failed", "interrupted"])("is started again after it has %s", async (status) => {
    const { begin, complete } = await lab();
    for (let n = 0; n < 3; n += 1) {
      await begin();
      await complete({ status });
    }
    await begin();
    await complete();
    await expect(begin()).rejects.toMatchObject({ code: "action_exists" });
  });

  it("is started again after recovery has closed it as interrupted", async () => {
    const recovery = await openRecoveryLab();
    await recovery.create("crashed-1");
    const action_id = await recovery.begin("crashed-1", { type: "build", effects: "local" });
    recovery.wait(60);
    await recovery.recover();
    await recovery.begin("crashed-1", { action_id, type: "build", effects: "local" });
  });

  it("cannot be started while it is open", async () => {
    const { begin } = await lab();
    await begin();
    await expect(begin()).rejects.toMatchObject({
      code: "action_exists",
      message: expect.stringContaining("already started"),
    });
  });
});

it("the check reads one row, however many actions and attempts there were", async () => {
  const memory = openMemoryStore();
  let read = 0;
  const store: StreamStore = {
    ...memory,
    transact: (transaction) =>
      memory.transact({
        ...transaction,
        decide: (loaded) => {
          read += loaded.rows.flat().length;
          return transaction.decide(loaded);
        },
      }),
  };
  const { begin, complete } = await lab(createService({ store, now: Date.now, newId }));
  for (let n = 0; n < 200; n += 1) {
    await begin();
    await complete({ status: "failed" });
    await begin({ action_id: `refund-${n}` });
    await complete({ action_id: `refund-${n}` });
  }
  expect(read).toBe(0);
  await expect(begin({ action_id: "refund-0" })).rejects.toMatchObject({ code: "action_exists" });
  expect(read).toBe(1);
});
