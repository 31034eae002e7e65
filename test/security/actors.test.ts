import { expect, it } from "vitest";
import { plainName } from "../../src/interfaces/mcp/client-name.ts";

it("an MCP client cannot speak as Belay itself", () => {
  for (const name of ["recovery", "Recovery ", "\u200brecovery", "belay", "restore", "mcp"]) {
    expect(plainName(name)).toMatch(/^mcp-/);
  }
  expect(plainName("user:ann")).toBe("user-ann");
  expect(plainName("Cursor")).toBe("Cursor");
});
