import { describe, expect, it } from "vitest";
import { LoginCodes } from "../../src/server/access/login-codes.ts";
import { MemoryValues } from "../../src/server/access/memory-values.ts";

describe("a login code", () => {
  it("logs in its owner once", async () => {
    const codes = new LoginCodes(new MemoryValues(() => 0));
    const [ann, bob] = [await codes.issue("ann"), await codes.issue("bob")];
    expect([await codes.redeem(bob), await codes.redeem(ann)]).toEqual(["bob", "ann"]);
    expect([await codes.redeem(bob), await codes.redeem(ann)]).toEqual([null, null]);
    expect(await codes.redeem("")).toBeNull();
  });

  it("works for ten minutes", async () => {
    let now = 0;
    const codes = new LoginCodes(new MemoryValues(() => now));
    const [first, second] = [await codes.issue("ann"), await codes.issue("ann")];
    now = 10 * 60_000 - 1;
    expect(await codes.redeem(first)).toBe("ann");
    now += 1;
    expect(await codes.redeem(second)).toBeNull();
  });

  it("cannot be guessed", async () => {
    const codes = new LoginCodes(new MemoryValues(() => 0));
    const issued = await Promise.all(Array.from({ length: 100 }, () => codes.issue("ann")));
    expect(new Set(issued).size).toBe(100);
    for (const code of issued) expect(code).toMatch(/^[\w-]{22}$/);
  });
});
