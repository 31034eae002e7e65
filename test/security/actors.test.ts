import { expect, it } from "vitest";
import { isReservedActor } from "../../src/contract/reserved-actor.ts";
import { plainName } from "../../src/interfaces/mcp/client-name.ts";

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
