import { describe, expect, it } from "vitest";
import { admit, isAdmitted, renewToken } from "../../src/server/access/tokens.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { as, HOUR, onMemory } from "./on-memory.ts";

describe("people", () => {
  it("are added, changed, listed and disabled by the user of the data folder", async () => {
    const { service, caller } = onMemory();
    const added = await service.call(
      "add_person",
      { name: "bob", display_name: "Bob Berg", identities: ["https://id.example#42"] },
      caller,
    );
    expect(added).toMatchObject({ name: "bob", display_name: "Bob Berg", role: "member" });
    const changed = await service.call("add_person", { name: "bob", role: "admin" }, caller);
    expect(changed).toEqual({ ...added, role: "admin" });
    const { people } = await service.call("list_people", {}, caller);
    // The user who added the first person is on record too.
    expect(people.map(({ name, role }) => [name, role])).toEqual([
      ["ann", "admin"],
      ["bob", "admin"],
    ]);
    const gone = await service.call("disable_person", { name: "bob" }, caller);
    expect(gone.disabled_at).not.toBeNull();
    expect(await service.call("disable_person", { name: "bob" }, caller)).toEqual(gone);
    const back = await service.call("add_person", { name: "bob" }, caller);
    expect(back).toEqual(changed);
  });

  it("are changed only by admins, with a record", async () => {
    const { service, caller } = onMemory();
    for (const [name, role] of [
      ["bob", "admin"],
      ["eve", "member"],
    ] as const) {
      await service.call("add_person", { name, role }, caller);
    }
    const others: Caller[] = [
      { ...as("eve", "api"), scope: "admin", role: "member" },
      { ...as("bob", "api"), scope: "write", role: "admin" },
      // An owner without a person on record.
      { ...as("old", "api"), scope: "admin" },
    ];
    for (const other of others) {
      for (const [name, input] of [
        ["add_person", { name: "eve", role: "admin" }],
        ["disable_person", { name: "ann" }],
      ] as const) {
        await expect(service.call(name, input, other)).rejects.toMatchObject({
          code: "not_allowed",
        });
      }
      const { people } = await service.call("list_people", {}, other);
      const seen = [
        ["ann", null, []],
        ["bob", null, []],
        ["eve", null, []],
      ];
      expect(people.map(({ name, role, identities }) => [name, role, identities])).toEqual(
        other.role === undefined ? [] : seen,
      );
    }
    const bob: Caller = { ...as("bob", "api"), scope: "admin", role: "admin" };
    await service.call("disable_person", { name: "eve" }, bob);
    const { people } = await service.call("list_people", {}, { ...bob, role: "member" });
    expect(people.map(({ name }) => name)).toEqual(["ann", "bob"]);
    await expect(service.call("disable_person", { name: "bob" }, bob)).rejects.toMatchObject({
      code: "invalid_input",
    });
    const { events } = await service.call("audit", {}, as("eve", "cli"));
    expect(events.map(({ type, actor }) => [type, actor])).toContainEqual([
      "person.disabled",
      "person:bob",
    ]);
  });

  it("have names that cannot be confused with Belay or a path, and unique accounts", async () => {
    const { service, caller } = onMemory();
    for (const name of ["", "belay", "Recovery", "a/b", "../a", "a b", "-x", "x".repeat(65)]) {
      await expect(service.call("add_person", { name }, caller)).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
    const identities = ["https://id.example#42"];
    await service.call("add_person", { name: "bob", identities }, caller);
    await expect(
      service.call("add_person", { name: "eve", identities }, caller),
    ).rejects.toMatchObject({ code: "not_allowed" });
    await expect(service.call("disable_person", { name: "zoe" }, caller)).rejects.toMatchObject({
      code: "person_not_found",
    });
  });
});

describe("people who are added at the same time", () => {
  it("never get the same account", async () => {
    const { service, caller } = onMemory();
    await service.call("add_person", { name: "ann" }, caller);
    const names = ["bob", "eve", "fay", "gus"];
    const identities = ["https://id.example#42"];
    const added = await Promise.allSettled(
      names.map((name) => service.call("add_person", { name, identities }, caller)),
    );
    const refused = added.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(3).fill("not_allowed"));
    const { people } = await service.call("list_people", {}, caller);
    expect(people.flatMap((person) => person.identities)).toEqual(identities);
    // The account is free again as soon as nobody has it.
    const owner = people.find((person) => person.identities.length > 0)?.name ?? "";
    await service.call("add_person", { name: owner, identities: [] }, caller);
    const next = names.find((name) => name !== owner) ?? "";
    expect(await service.call("add_person", { name: next, identities }, caller)).toMatchObject({
      identities,
    });
  });

  it("keep every change: a new name does not give a former admin the old role back", async () => {
    const { service, caller } = onMemory();
    await service.call("add_person", { name: "bob", role: "admin" }, caller);
    await Promise.all([
      service.call("add_person", { name: "bob", role: "member" }, caller),
      service.call("add_person", { name: "bob", display_name: "Bob Berg" }, caller),
    ]);
    const { people } = await service.call("list_people", {}, caller);
    expect(people[1]).toMatchObject({ role: "member", display_name: "Bob Berg" });
  });
});

describe("a token of a person", () => {
  it("ends for good when the person is disabled, and new ones are refused meanwhile", async () => {
    const { service, store, caller, advance } = onMemory();
    await service.call("add_person", { name: "bob" }, caller);
    const unknown = service.call("create_token", { owner: "bobb" }, caller);
    await expect(unknown).rejects.toMatchObject({ code: "person_not_found" });
    const { token } = await service.call("create_token", { owner: "bob" }, caller);
    const admission = await admit(store, token);
    expect(admission).toMatchObject({ owner: "bob", role: "member" });
    await service.call("disable_person", { name: "bob" }, caller);
    expect(await admit(store, token)).toBeNull();
    expect(admission && (await isAdmitted(store, admission))).toBe(false);
    await expect(service.call("create_token", { owner: "bob" }, caller)).rejects.toMatchObject({
      code: "not_allowed",
      message: "bob is disabled. Enable this person with: belay people add bob",
    });
    advance(HOUR);
    await service.call("add_person", { name: "bob" }, caller);
    expect(await admit(store, token)).toBeNull();
    const anew = await service.call("create_token", { owner: "bob" }, caller);
    expect(await admit(store, anew.token)).not.toBeNull();
  });

  it("never gives a member the rights of an admin", async () => {
    const { service, store, caller } = onMemory();
    const { token } = await service.call("create_token", { owner: "bob", scope: "admin" }, caller);
    expect(await admit(store, token)).toMatchObject({ scope: "admin" });
    await service.call("add_person", { name: "bob" }, caller);
    expect(await admit(store, token)).toMatchObject({ scope: "write", role: "member" });
    await expect(
      service.call("create_token", { owner: "bob", scope: "admin" }, caller),
    ).rejects.toMatchObject({ code: "not_allowed" });
  });

  it("expires at its time, and shows its last use", async () => {
    const { service, store, caller, now } = onMemory();
    const until = new Date(now() + HOUR).toISOString();
    const made = await service.call("create_token", { until }, caller);
    expect(made).toMatchObject({ expires_at: until, last_used_at: null });
    const past = new Date(now() - 1).toISOString();
    await expect(service.call("create_token", { until: past }, caller)).rejects.toMatchObject({
      code: "invalid_input",
    });
    const used: string[] = [];
    const note = async (at: number) => {
      const admission = await admit(store, made.token, at, ({ token_id }) => used.push(token_id));
      if (admission) await renewToken({ store, newId, now: () => at }, caller, admission);
      return admission;
    };
    expect(await note(now() + 1)).not.toBeNull();
    expect(await note(now() + 2)).not.toBeNull();
    expect(used).toEqual([made.id]);
    const { tokens } = await service.call("list_tokens", {}, caller);
    expect(tokens[0]?.last_used_at).toBe(new Date(now() + 1).toISOString());
    expect(await note(now() + HOUR)).toBeNull();
  });
});
