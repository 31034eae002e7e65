import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Belay, BelayError, openBelay } from "../../src/index.ts";
import { runBelay } from "./run-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const home = join(root, "outer", "home");
let belay: Belay;

beforeAll(async () => {
  mkdirSync(join(root, "outer"));
  belay = await openBelay({ home });
  for (const session_id of ["twin-one", "twin-two", "finished"]) {
    await belay.sessions.create({ agent_name: "worker", session_id });
  }
  await belay.sessions.finalize({ id: "finished", outcome: "completed" });
});
afterAll(() => belay.close());

const BAD_IDS = [
  ["a parent folder", "../x-session"],
  ["two slashes", "a/b/session"],
  ["an absolute path", "/etc/passwd"],
  ["NUL", "abc\0def"],
  ["a newline", "abc\ndef"],
  ["a carriage return", "abc\r\ndef"],
  ["spaces", "my session"],
  ["four characters", "four"],
  ["129 characters", "a".repeat(129)],
  ["4 KiB", "a".repeat(4096)],
] as const;

describe("a bad id", () => {
  it.each(BAD_IDS)("with %s creates nothing", async (_, session_id) => {
    await refused("invalid_id", belay.sessions.create({ agent_name: "worker", session_id }));
    await refused("invalid_id", belay.sessions.fork({ id: "twin-one", session_id }));
  });

  it.each(BAD_IDS.filter(([, id]) => id !== "four"))("with %s finds nothing", async (_, id) => {
    await refused("invalid_id", belay.sessions.get({ id }));
    await refused("invalid_id", belay.turns.record({ id, input: "", output: "" }));
    await refused("invalid_id", belay.sessions.log({ id }));
  });

  // No program can get NUL in an argument.
  it.each(BAD_IDS.filter(([, id]) => !id.includes("\0")))("with %s exits 2", async (_, id) => {
    const args = ["create", "--agent", "worker", "--id", id, "--json"];
    expect(await exitOf(args)).toEqual({ exit: 2, error: "invalid_id" });
  });

  it("creates nothing in the folder or outside it", async () => {
    expect(readdirSync(join(root, "outer"))).toEqual(["home"]);
    const { sessions } = await belay.sessions.list({ limit: 100 });
    expect(sessions.map((one) => one.session_id).sort()).toEqual([
      "finished",
      "twin-one",
      "twin-two",
    ]);
  });
});

describe("a good id", () => {
  it("control: is accepted", async () => {
    const id = "a:good_id.1-2";
    const creating = belay.sessions.create({ agent_name: "worker", session_id: id });
    await expect(refused("invalid_id", creating)).rejects.toThrow();
    expect((await belay.sessions.get({ id })).session_id).toBe(id);
  });
});

describe("other invalid input", () => {
  it.each([
    ["at the top", '{"__proto__":{"isAdmin":true},"plan":1}'],
    ["deep inside", '{"plan":{"steps":[{"__proto__":{"isAdmin":true}}]}}'],
  ])("a key named __proto__ %s is refused", async (_, text) => {
    const metadata: Record<string, unknown> = JSON.parse(text);
    await refused("invalid_input", belay.sessions.update({ id: "twin-one", metadata }));
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
    const args = ["update", "twin-one", "--metadata", text, "--json"];
    expect(await exitOf(args)).toEqual({ exit: 2, error: "invalid_input" });
  });

  it("an unknown filter is an error and never all rows", async () => {
    const filter: object = { agnet: "worker" };
    await refused("unknown_filter", belay.sessions.list(filter));
    expect(await exitOf(["list", "--agnet", "worker", "--json"])).toEqual({
      exit: 2,
      error: "usage",
    });
  });

  it("a prefix of two session ids is ambiguous", async () => {
    await refused("ambiguous_id", belay.sessions.get({ id: "twin-" }));
    await refused("ambiguous_id", belay.turns.record({ id: "twin-", input: "", output: "" }));
    expect(await exitOf(["get", "twin-", "--json"])).toEqual({ exit: 2, error: "ambiguous_id" });
  });

  it("a finished session accepts no turn", async () => {
    await refused(
      "session_completed",
      belay.sessions.update({ id: "finished", phase: "planning" }),
    );
    expect(await exitOf(["update", "finished", "--phase", "planning", "--json"])).toEqual({
      exit: 1,
      error: "session_completed",
    });
  });

  it("a session that does not exist is not found", async () => {
    await refused("session_not_found", belay.sessions.get({ id: "nobody-knows" }));
    const args = ["get", "nobody-knows", "--json"];
    expect(await exitOf(args)).toEqual({ exit: 3, error: "session_not_found" });
  });
});

async function refused(code: string, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => "it was accepted",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BelayError);
  expect(error).toMatchObject({ code });
}

async function exitOf(args: readonly string[]) {
  const { code, stdout } = await runBelay(home, args);
  const { error } = z.object({ error: z.string() }).parse(JSON.parse(stdout));
  return { exit: code, error };
}
