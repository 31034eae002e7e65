import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SCOPES } from "../../src/contract/vocabulary.ts";
import { readTogether } from "../../src/server/access/read-together.ts";
import {
  type Admission,
  admit,
  admitTogether,
  isAdmitted,
  renewToken,
} from "../../src/server/access/tokens.ts";
import { newId } from "../../src/service/new-id.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { onMemory } from "./on-memory.ts";

describe("a token", () => {
  it("gives its bearer the granted access until it is revoked", async () => {
    const { service, store, caller } = onMemory();
    const made = await service.call("create_token", { name: "ci", scope: "read" }, caller);
    expect(made).toMatchObject({ name: "ci", scope: "read", owner: "ann", revoked_at: null });
    const admission = await admit(store, made.token);
    expect(admission).toEqual({ token_id: made.id, name: "ci", scope: "read", owner: "ann" });

    const revoked = await service.call("revoke_token", { token_id: made.id }, caller);
    expect(revoked.revoked_at).not.toBeNull();
    expect(await admit(store, made.token)).toBeNull();
    expect(admission && (await isAdmitted(store, admission))).toBe(false);
  });

  it("is checked together with others, and one that cannot be read hides no other", async () => {
    const { service, store, caller } = onMemory();
    const admissions: Admission[] = [];
    for (let n = 0; n < 250; n += 1) {
      const { token } = await service.call("create_token", { name: `${n}` }, caller);
      const admission = await admit(store, token);
      if (admission) admissions.push(admission);
    }
    const [revoked, damaged] = admissions;
    await service.call("revoke_token", { token_id: revoked?.token_id ?? "" }, caller);
    let reads = 0;
    let isDamaged = false;
    const together = readTogether({
      read: async (asked) => {
        reads += 1;
        const isHit = asked.some(({ ref }) => "id" in ref && ref.id === damaged?.token_id);
        if (isDamaged && isHit) throw new Error("damaged");
        return store.read(asked);
      },
    });
    const check = () =>
      Promise.all(
        admissions.map((admission) => isAdmitted(together, admission).catch(() => "unknown")),
      );
    expect(await check()).toEqual(admissions.map((each) => each !== revoked));
    // The tokens in two reads, and their people.
    expect(reads).toBeLessThanOrEqual(5);
    isDamaged = true;
    const expected = admissions.map((each) => (each === damaged ? "unknown" : each !== revoked));
    expect(await check()).toEqual(expected);
  });

  it("with an idle limit expires without use, and is renewed by use once an hour", async () => {
    const { service, store, caller } = onMemory();
    const day = 24 * 3_600_000;
    const made = await service.call("create_token", { name: "browser", idle_days: 30 }, caller);
    const begun = Date.parse(made.created_at);
    expect(Date.parse(made.expires_at ?? "")).toBe(begun + 30 * day);
    const used: string[] = [];
    const at = (now: number) =>
      admit(store, made.token, now, ({ token_id }) => used.push(token_id));
    const admission = await at(begun + 29 * day);
    expect(used).toEqual([made.id]);
    expect(await at(begun + 30 * day)).toBeNull();
    if (!admission) throw new Error("not admitted");
    const later = { store, newId, now: () => begun + 29 * day };
    await renewToken(later, caller, admission);
    await renewToken(later, caller, admission);
    await at(begun + 29 * day + 3_600_000);
    expect(used).toEqual([made.id]);
    expect(await at(begun + 58 * day)).not.toBeNull();
    expect(await at(begun + 59 * day)).toBeNull();
    const { events } = await service.call("audit", { limit: 10 }, caller);
    expect(events.filter(({ type }) => type === "token.renewed").length).toBe(1);
  });

  it("that arrives many times at once is looked up once, and again later", async () => {
    const { service, store, caller } = onMemory();
    const { id, token } = await service.call("create_token", {}, caller);
    let looks = 0;
    const counted: StreamStore = {
      ...store,
      read(reads, bytes) {
        looks += 1;
        return store.read(reads, bytes);
      },
    };
    const admitMany = admitTogether((token) => admit(counted, token));
    const all = await Promise.all(Array.from({ length: 50 }, () => admitMany(token)));
    expect(all.map((admission) => admission?.token_id)).toEqual(Array(50).fill(id));
    // The token, and then its owner's person.
    expect(looks).toBe(2);
    await service.call("revoke_token", { token_id: id }, caller);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await admitMany(token)).toBeNull();
  });

  it("is shown once, and stored as a digest only", async () => {
    const { service, store, caller } = onMemory();
    const { id, token } = await service.call("create_token", {}, caller);
    const secret = secretOf(token);
    expect(secret.length).toBeGreaterThanOrEqual(43);
    const { tokens } = await service.call("list_tokens", {}, caller);
    expect(tokens.map((listed) => listed.id)).toEqual([id]);
    const kept = JSON.stringify([
      tokens,
      await loadStream(store, { id }),
      await readEvents(store, id, { after: 0, limit: 10 }),
    ]);
    expect(kept).not.toContain(secret);
  });

  it("is in the audit without the digest of its secret", async () => {
    const { service, caller } = onMemory();
    const { id } = await service.call("create_token", { name: "ci" }, caller);
    const { events } = await service.call("audit", {}, caller);
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: "token.created", data: { token_id: id, name: "ci", scope: "write" } },
    ]);
  });

  it("with a wrong secret, id or form is refused", async () => {
    const { service, store, caller } = onMemory();
    const { token } = await service.call("create_token", {}, caller);
    const other = await service.call("create_token", {}, caller);
    const secret = secretOf(other.token);
    const { session_id, entity_id } = await service.call("create", { agent_name: "a" }, caller);
    for (const wrong of [
      "",
      "belay_",
      `${token} `,
      `${token}x`,
      token.toUpperCase(),
      token.replace(secretOf(token), secret),
      `belay_${entity_id.replaceAll("-", "")}_${secret}`,
      session_id,
      "belay___proto___",
      "x".repeat(100_000),
    ]) {
      expect(await admit(store, wrong)).toBeNull();
    }
    expect(await admit(store, token)).not.toBeNull();
  });

  it("revoked twice keeps the first time of revocation", async () => {
    const { service, caller, advance } = onMemory();
    const { id } = await service.call("create_token", {}, caller);
    const first = await service.call("revoke_token", { token_id: id }, caller);
    advance(1000);
    expect(await service.call("revoke_token", { token_id: id }, caller)).toEqual(first);
  });

  it("creates and lists tokens of its own owner only", async () => {
    const { service, caller } = onMemory();
    const theirs = await service.call("create_token", { owner: "ana" }, caller);
    const admin = { ...caller, owner: "ben", scope: "admin" } as const;
    await expect(service.call("create_token", { owner: "ana" }, admin)).rejects.toMatchObject({
      code: "not_allowed",
    });
    await expect(
      service.call("revoke_token", { token_id: theirs.id }, admin),
    ).rejects.toMatchObject({ code: "token_not_found" });
    expect((await service.call("list_tokens", {}, admin)).tokens).toEqual([]);
    expect((await service.call("list_tokens", {}, caller)).tokens).toHaveLength(1);
  });
});

describe("a scope", () => {
  it.each(Object.entries(OPERATIONS))("decides who may call %s", async (name, operation) => {
    const { service, caller } = onMemory();
    if (!isOperation(name)) throw new Error(name);
    const needed = operation.scope;
    for (const scope of SCOPES) {
      const call = service.call(name, {}, { ...caller, scope });
      const refused = await call.then(
        () => false,
        (error: unknown) => error instanceof Error && /has scope "/.test(error.message),
      );
      expect(refused).toBe(SCOPES.indexOf(scope) < SCOPES.indexOf(needed));
    }
  });
});

function isOperation(name: string): name is keyof typeof OPERATIONS {
  return name in OPERATIONS;
}

function secretOf(token: string): string {
  return token.slice(token.indexOf("_", "belay_".length) + 1);
}
