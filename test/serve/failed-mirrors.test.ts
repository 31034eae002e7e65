import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { endAll, newPlace, runBelay, type ServerPlace, serve } from "./server-process.ts";

/** A mirror that cannot be written is reported everywhere, and the session is stored anyway. */
let place: ServerPlace;
let obstacle: string;
beforeAll(async () => {
  place = newPlace();
  obstacle = join(place.root, "work", ".claude");
  await runBelay(place, ["init", "--mirror", "claude"]);
});
afterEach(endAll);
afterAll(() => place.remove());

it("is reported by the command that changes the session, and by doctor", async () => {
  writeFileSync(obstacle, "a file where a folder should be");
  const made = await runBelay(place, ["create", "--agent", "a", "--id", "mirrored"]);
  expect(made.code).toBe(0);
  expect(made.stderr).toContain("The claude mirror of session mirrored");
  expect(made.stderr).toContain("was not written");
  const sick = await runBelay(place, ["doctor"]);
  expect(sick.code).toBe(1);
  expect(sick.stdout).toMatch(/mirrors .*claude mirror of session mirrored .* was not written/);

  // The control: if it can be written, nothing is reported.
  rmSync(obstacle);
  const well = await runBelay(place, ["doctor"]);
  expect(well.stdout).toMatch(/mirrors +claude in /);
  expect(existsSync(join(obstacle, "session", "mirrored", "state.json"))).toBe(true);
  const changed = await runBelay(place, ["update", "mirrored", "--phase", "planning"]);
  expect([changed.code, changed.stderr]).toEqual([0, ""]);
});

it("is logged and counted by a server", async () => {
  rmSync(obstacle, { recursive: true, force: true });
  const server = await serve(place);
  const body = { agent_name: "a", session_id: "served-one" };
  await server.ask("POST", "/sessions", { body });
  const failures = async () => {
    const { text } = await server.ask("GET", "/metrics");
    return /^belay_mirror_failures_total (\d+)$/m.exec(text)?.[1];
  };
  expect(await failures()).toBe("0");
  rmSync(obstacle, { recursive: true });
  writeFileSync(obstacle, "a file where a folder should be");
  await server.ask("PATCH", "/sessions/served-one", { body: { phase: "planning" } });
  expect(await failures()).toBe("1");
  await server.end();
  expect(server.program.stderr).toContain("The claude mirror of session served-one");
});
