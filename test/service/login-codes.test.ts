import { describe, expect, it } from "vitest";
import { LoginCodes } from "../../src/server/access/login-codes.ts";

const MINUTE = 60_000;

describe("a login code", () => {
  it("logs in its owner once", () => {
    const codes = new LoginCodes(() => 0);
    const [ann, bob] = [codes.issue("ann"), codes.issue("bob")];
    expect([codes.redeem(bob), codes.redeem(ann)]).toEqual(["bob", "ann"]);
    expect([codes.redeem(bob), codes.redeem(ann)]).toEqual([null, null]);
    expect(codes.redeem("")).toBeNull();
  });

  it("works for ten minutes", () => {
    let now = 0;
    const codes = new LoginCodes(() => now);
    const [first, second] = [codes.issue("ann"), codes.issue("ann")];
    now = 10 * MINUTE - 1;
    expect(codes.redeem(first)).toBe("ann");
    now = 10 * MINUTE;
    expect(codes.redeem(second)).toBeNull();
  });

  it("cannot be guessed", () => {
    const codes = new LoginCodes(() => 0);
    const issued = Array.from({ length: 100 }, () => codes.issue("ann"));
    expect(new Set(issued).size).toBe(100);
    for (const code of issued) expect(code).toMatch(/^[\w-]{22}$/);
  });

  it("is replaced by newer ones if it is not used", () => {
    const codes = new LoginCodes(() => 0);
    const [first = "", ...rest] = Array.from({ length: 1001 }, () => codes.issue("ann"));
    expect(codes.redeem(first)).toBeNull();
    for (const code of rest) expect(codes.redeem(code)).toBe("ann");
  });
});
