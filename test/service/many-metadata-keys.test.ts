import { describe, expect, it } from "vitest";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { onMemory } from "./on-memory.ts";

/** Keys of 40 characters with values of 500. */
function keys(from: number, to: number, fill: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: to - from }, (_, nth) => [
      `k${String(from + nth).padStart(39, "0")}`,
      fill.repeat(500),
    ]),
  );
}

async function findings(place: ReturnType<typeof onMemory>) {
  const found = [];
  for await (const finding of verifyStreams(place.store)) found.push(finding);
  return found;
}

describe("metadata with more keys than the head can hold", () => {
  it.each(["create", "update"] as const)(
    "is stored completely by %s, shown, and verified",
    async (by) => {
      const place = onMemory();
      const { service, caller } = place;
      const metadata = { batch: "b1", ...keys(0, 60, "a") };
      const made = { agent_name: "a", session_id: "many-1" };
      await service.call("create", by === "create" ? { ...made, metadata } : made, caller);
      if (by === "update") await service.call("update", { id: "many-1", metadata }, caller);
      expect((await service.call("get", { id: "many-1" }, caller)).metadata).toEqual(metadata);
      const { sessions } = await service.call("list", {}, caller);
      expect(sessions[0]?.metadata).toEqual(metadata);
      expect(await findings(place)).toEqual([]);
    },
  );

  it("merges by top-level key wherever the key is stored, also in forks", async () => {
    const place = onMemory();
    const { service, caller } = place;
    const first = { short: 1, ...keys(0, 50, "a") };
    await service.call(
      "create",
      { agent_name: "a", session_id: "many-1", metadata: first },
      caller,
    );
    const { version } = await service.call("get", { id: "many-1" }, caller);
    for (let round = 0; round < 30; round += 1) {
      const metadata = { short: round, ...keys(20, 22, String(round % 10)), [`n${round}`]: round };
      await service.call("update", { id: "many-1", metadata }, caller);
    }
    const added = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`n${nth}`, nth]));
    const last = { ...first, short: 29, ...keys(20, 22, "9"), ...added };
    const now = await service.call("get", { id: "many-1" }, caller);
    expect(now.metadata).toEqual(last);

    const before = { id: "many-1", session_id: "fork-before", at: version };
    expect((await service.call("fork", before, caller)).metadata).toEqual(first);
    const after = { id: "many-1", session_id: "fork-after" };
    await service.call("fork", after, caller);
    await service.call("update", { id: "fork-after", metadata: keys(40, 52, "f") }, caller);
    const forked = await service.call("get", { id: "fork-after" }, caller);
    expect(forked.metadata).toEqual({ ...last, ...keys(40, 52, "f") });
    expect((await service.call("get", { id: "many-1" }, caller)).metadata).toEqual(last);
    expect(await findings(place)).toEqual([]);
  });

  it("keeps searchable fields in the head", async () => {
    const { service, caller, store } = onMemory();
    const metadata = { ...keys(0, 60, "a"), claude_session_id: "c1" };
    const session = await service.call("create", { agent_name: "a", metadata }, caller);
    const stream = await loadStream(store, { id: session.entity_id });
    expect(stream?.head).toMatchObject({ metadata: { claude_session_id: { value: "c1" } } });
    expect(JSON.stringify(stream?.head).length).toBeLessThan(8192);
  });

  it("is limited to 128 keys, and the refusal says how many are used", async () => {
    const { service, caller } = onMemory();
    const made = { agent_name: "a", session_id: "many-1", metadata: keys(0, 127, "a") };
    await service.call("create", made, caller);
    const update = (metadata: object) => service.call("update", { id: "many-1", metadata }, caller);
    await expect(update(keys(127, 129, "a"))).rejects.toMatchObject({
      code: "limit_reached",
      message: expect.stringContaining("The metadata would have 129 keys; 128 are allowed"),
      details: { limit: 128, used: 127, added: 2 },
    });
    await update(keys(120, 128, "b"));
  });
});
