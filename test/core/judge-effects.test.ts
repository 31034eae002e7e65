import { describe, expect, it } from "vitest";
import { judgeEffects, judgePermission } from "../../src/core/recovery/judge-effects.ts";

describe("possible effects of a tool", () => {
  it.each([
    ["read", {}, "none"],
    ["search", {}, "none"],
    ["think", {}, "none"],
    ["switch_mode", {}, "none"],
    ["edit", {}, "local"],
    ["delete", {}, "local"],
    ["move", {}, "local"],
    ["execute", {}, "unknown"],
    ["fetch", {}, "unknown"],
    ["a kind of tomorrow", {}, "unknown"],
    ["execute", { execute: "local" }, "local"],
    ["fetch", { "*": "remote" }, "remote"],
    ["read", { "*": "remote" }, "none"],
    ["read", { read: "remote" }, "remote"],
  ] as const)("%s, with %o set: %s", (kind, configured, effects) => {
    expect(judgeEffects(kind, configured)).toBe(effects);
  });
});

describe("permission for a tool", () => {
  it.each([
    ["execute", {}, "ask"],
    ["execute", { execute: "allow" }, "allow"],
    ["execute", { "*": "deny" }, "deny"],
    ["read", { "*": "deny", read: "allow" }, "allow"],
  ] as const)("%s, with %o set: %s", (kind, configured, policy) => {
    expect(judgePermission(kind, configured)).toBe(policy);
  });
});
