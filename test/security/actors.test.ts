import { expect, it } from "vitest";
import { isReservedActor } from "../../src/contract/reserved-actor.ts";
import { plainName } from "../../src/doors/mcp/client-name.ts";
import { writeMcpSessionId } from "../../src/doors/mcp/mcp-session-id.ts";
import { bearer, openLab } from "../mcp/mcp-lab.ts";

it("an MCP client cannot speak as Belay itself", () => {
  for (const name of ["recovery", "Recovery ", "\trecovery\n", "belay", "restore", "mcp"]) {
    expect(plainName(name)).toMatch(/^mcp-/);
  }
  const hidden = plainName("\u200brecovery");
  expect(hidden).toBe("⟦U+200B⟧recovery");
  expect(isReservedActor(hidden ?? "")).toBe(false);
  expect(plainName("user:ann")).toBe("user-ann");
  expect(plainName("Cursor")).toBe("Cursor");
});

it("an MCP client that makes its session id itself cannot speak as somebody else either", async () => {
  const lab = await openLab();
  const { caller, service } = lab;
  const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
  const names = ["person:bob", "recovery", "import:codex", "token:ci\nagent:x", "x".repeat(500)];
  for (const name of names) {
    const params = { name: "record_turn", arguments: { id, input: "a", output: "b" } };
    const called = await fetch(lab.url, {
      method: "POST",
      headers: {
        authorization: bearer("ann"),
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-session-id": writeMcpSessionId(name, { owner: "ann", credentials: bearer("ann") }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    expect(await called.text()).toContain("turn_id");
  }
  const { events } = await service.call("log", { id, limit: 100 }, caller);
  const actors = events.filter(({ type }) => type === "turn.recorded").map(({ actor }) => actor);
  expect(actors).toEqual(names.map((name) => plainName(name)));
  await lab.close();
});
