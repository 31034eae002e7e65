import { describe, expect, it } from "vitest";
import type { AuditLine } from "../../src/contract/past.ts";
import { exportAudit } from "../../src/service/audit/export-audit.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { as, HOUR, MINUTE, onMemory } from "./on-memory.ts";

const bob = { ...as("bob", "api"), scope: "write" } as const;

describe("the audit of a fork", () => {
  it("has the fork's own events, not those of the session that it continues", async () => {
    const { service, caller } = await prepare();
    await service.call("rename", { id: "ann-1", title: "first" }, caller);
    const fork = await service.call("fork", { id: "ann-1" }, caller);
    await service.call("rename", { id: fork.session_id, title: "second" }, caller);
    const { events: all } = await service.call("audit", {}, caller);
    const renamed = all.filter(({ type }) => type === "session.renamed");
    expect(renamed.map(({ id, data }) => [id, data.title])).toEqual([
      ["ann-1", "first"],
      [fork.session_id, "second"],
    ]);
    const { events: own } = await service.call("audit", { id: fork.session_id }, caller);
    expect(own.map(({ type }) => type)).toEqual(["session.forked", "session.renamed"]);
  });
});

describe("filters of the audit", () => {
  it("select what was done, seen or refused, and by whom", async () => {
    const { service, caller } = await prepare();
    await service.call("share", { id: "ann-1", with: "bob", role: "editor" }, caller);
    await service.call("get", { id: "ann/ann-1" }, bob);
    await service.call("suspend", { id: "ann/ann-1" }, bob);
    await expect(service.call("cancel", { id: "ann/ann-1" }, bob)).rejects.toThrow("role");
    const types = async (input: object) =>
      (await service.call("audit", { id: "ann-1", ...input }, caller)).events.map(typeOf);
    expect(await types({ what: "saw" })).toEqual(["session.seen"]);
    expect(await types({ what: "refused" })).toEqual(["access.refused"]);
    const did = await types({ what: "did" });
    expect(did).toContain("session.shared");
    expect(did.filter((type) => /seen|refused/.test(type))).toEqual([]);
    expect(await types({ person: "bob" })).toEqual([
      "checkpoint.saved",
      "session.suspended",
      "session.seen",
      "access.refused",
    ]);
    expect(await types({ person: "bob", what: "did" })).toEqual([
      "checkpoint.saved",
      "session.suspended",
    ]);
    expect(await types({ person: "ann", what: "did" })).not.toContain("session.suspended");
  });

  it("refuse an unknown person, but not one who has left, or an owner who is no person", async () => {
    const { service, store, caller, advance } = await prepare();
    await service.call("share", { id: "ann-1", with: "bob" }, caller);
    await service.call("get", { id: "ann/ann-1" }, bob);
    await service.call("add_person", { name: "carl" }, caller);
    await service.call("create", { agent_name: "a", session_id: "old-1" }, as("old", "cli"));
    for (const name of ["bob", "carl"]) await service.call("disable_person", { name }, caller);
    advance(48 * HOUR);
    const ann = { ...caller, scope: "write", role: "member" } as const;
    const ask = async (person: string, by: Caller) => {
      const exported = async () => {
        const context = { store, now: Date.now, newId };
        const wanted = { since: 0, everyone: false, person };
        for await (const line of exportAudit(context, by, wanted)) expect(line).toBeDefined();
      };
      const asked = [service.call("audit", { person }, by), exported()];
      const answers = await Promise.allSettled(asked);
      return answers.map((one) => (one.status === "rejected" ? one.reason.code : "found"));
    };
    for (const known of ["ann", "bob", "carl", "old"]) {
      expect([known, ...(await ask(known, caller))]).toEqual([known, "found", "found"]);
    }
    // A member learns no more about other people than from the list of people and from the own entries.
    for (const known of ["ann", "bob"]) {
      expect([known, ...(await ask(known, ann))]).toEqual([known, "found", "found"]);
    }
    const refused = ["person_not_found", "person_not_found"];
    for (const unknown of ["carl", "old", "bbo"]) expect(await ask(unknown, ann)).toEqual(refused);
    expect(await ask("bbo", caller)).toEqual(refused);
  });
});

describe("pages of the audit", () => {
  it("show every entry once, also where many have the same time", async () => {
    const { service, caller, advance } = await prepare();
    for (let n = 0; n < 12; n += 1) {
      const session_id = `more-${n}`;
      await service.call("create", { agent_name: "a", session_id }, caller);
      if (n % 5 === 0) advance(MINUTE);
      await service.call("rename", { id: session_id, title: `t${n}` }, caller);
    }
    const whole = await service.call("audit", {}, caller);
    expect(whole.next_cursor).toBeNull();
    const pages: AuditLine[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const input = { limit: 5, ...(cursor !== undefined && { cursor }) };
      const page = await service.call("audit", input, caller);
      pages.unshift(page.events);
      cursor = page.next_cursor;
    }
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.flat()).toEqual(whole.events);
  });

  it("refuses a cursor that it did not write", async () => {
    const { service, caller } = await prepare();
    await expect(service.call("audit", { cursor: "nonsense" }, caller)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

function typeOf({ type }: AuditLine): string {
  return type;
}

/** Ann has one session, and bob is a person. */
async function prepare() {
  const lab = onMemory();
  const { service, caller } = lab;
  await service.call("add_person", { name: "bob" }, caller);
  await service.call("create", { agent_name: "a", session_id: "ann-1" }, caller);
  return lab;
}
