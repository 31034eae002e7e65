import { describe, expect, it } from "vitest";
import { readMcpSessionId, writeMcpSessionId } from "../../src/doors/mcp/mcp-session-id.ts";

const ANN = { owner: "ann", credentials: "Bearer 1" };

describe("the session id of an MCP client", () => {
  it.each(["claude-code", "", "a.b.c", "\u{1F600} ü"])("returns the name %j", (name) => {
    const id = writeMcpSessionId(name, ANN);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(readMcpSessionId(id, ANN)).toBe(name);
  });

  it("is different each time", () => {
    expect(writeMcpSessionId("x", ANN)).not.toBe(writeMcpSessionId("x", ANN));
  });

  it.each([
    ["another owner", { ...ANN, owner: "bob" }],
    ["another token", { ...ANN, credentials: "Bearer 2" }],
    ["parts put together otherwise", { owner: "ann,Bearer", credentials: "1" }],
  ])("is not accepted from %s", (_, peer) => {
    expect(readMcpSessionId(writeMcpSessionId("x", ANN), peer)).toBe(null);
  });

  it.each(["", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", "x".repeat(10_000)])(
    "is invalid if it reads %s",
    (id) => expect(readMcpSessionId(id, ANN)).toBe(null),
  );
});
