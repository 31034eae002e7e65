import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

const service = createService({ store: openMemoryStore(), now: Date.now, newId });
const bob: Caller = { owner: "bob", actor: "bob", interface: "api", trace_id: null };

it("a session expires after a span from now, as a share ends", async () => {
  const { session_id: id } = await service.call("create", { agent_name: "a" }, bob);
  const before = Date.now();
  const { expires_at } = await service.call("set_expiry", { id, expires_at: "7d" }, bob);
  const days = (Date.parse(String(expires_at)) - before) / 86_400_000;
  expect(days).toBeCloseTo(7, 3);
});

it("only an admin of the server can set an expiration for all owners", async () => {
  const everyone = { after_days: 1, everyone: true };
  const owner = { ...bob, scope: "admin" } as const;
  await expect(service.call("set_expiration", everyone, owner)).rejects.toMatchObject({
    code: "not_allowed",
  });
  expect(await service.call("set_expiration", { after_days: 1 }, owner)).toMatchObject({
    own_days: 1,
    everyone_days: null,
  });
  const admin = { ...owner, role: "admin" } as const;
  expect(await service.call("set_expiration", everyone, admin)).toMatchObject({ everyone_days: 1 });
});

it("a member, whose tokens have at most scope write, can set an expiration for their own sessions", async () => {
  const member = { ...bob, owner: "carl", scope: "write", role: "member" } as const;
  expect(await service.call("set_expiration", { after_days: 9 }, member)).toMatchObject({
    own_days: 9,
  });
  for (const scope of ["read", "record", "write"] as const) {
    const everyone = { after_days: 1, everyone: scope === "write" };
    const refused = service.call("set_expiration", everyone, { ...member, scope });
    await expect(refused).rejects.toMatchObject({ code: "not_allowed" });
  }
});
