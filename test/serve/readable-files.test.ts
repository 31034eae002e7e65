import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { newKeyFile } from "../sealed/with-key.ts";
import { endAll, environmentOf, newPlace, recordOf, runBelay, serve } from "./server-process.ts";

const HOOK = fileURLToPath(new URL("../../bin/belay-hook.cjs", import.meta.url));
const CANARY = "canary-of-a-server";

afterEach(endAll);

it("a server with a key leaves no readable text in any file, also if it is killed", async () => {
  // Without a key, the same text is there, also in the log of the agent that failed.
  const plain = await live({});
  expect(plain).toContain("belay.db");
  expect(plain).toContain("agent-logs/failed-1.log");
  expect(await live({ BELAY_KEY_FILE: newKeyFile() })).toEqual([]);
});

/** Uses a real server in many ways, kills it, and returns the files and outputs that contain the canary. */
async function live(key: Readonly<Record<string, string>>): Promise<string[]> {
  const place = newPlace();
  try {
    const env = { ...key, TMPDIR: join(place.root, "tmp") };
    mkdirSync(env.TMPDIR);
    const run = (...args: string[]) => runBelay(place, args, env);
    const server = await serve(place, { args: ["--log", "debug"], env });
    const id = `${CANARY}-id`;
    const session = { agent_name: "demo", session_id: id, title: CANARY, task_id: CANARY };
    const metadata = { [CANARY]: CANARY };
    const calls: [path: string, body: unknown][] = [
      ["/sessions", { ...session, metadata, idempotency_key: CANARY }],
      [`/sessions/${id}/messages`, { message: CANARY }],
      [`/sessions/${id}/checkpoints`, { name: CANARY, state: { [CANARY]: CANARY } }],
      [`/sessions/${id}/approvals`, { title: CANARY, body: CANARY }],
      ["/people", { name: "bob", display_name: CANARY }],
      [`/sessions/${id}/shares`, { with: "bob" }],
      [`/sessions/${id}/links`, {}],
      ["/tokens", { name: CANARY }],
      [
        "/webhooks",
        { url: `http://127.0.0.1:9/${CANARY}`, on: ["session.completed"], allow_private: true },
      ],
      ["/tasks", { title: CANARY }],
    ];
    for (const [path, body] of calls) {
      const { status, text } = await server.ask("POST", path, { body });
      expect([path, status < 300 || text]).toEqual([path, true]);
    }
    await server.ask("POST", "/sessions", { body: { agent_name: "demo", session_id: "failed-1" } });
    await server.ask("POST", "/sessions/failed-1/messages", {
      body: { message: `/exit 3 ${CANARY}` },
    });
    const file = { headers: { "content-type": "application/octet-stream" }, body: CANARY };
    const stored = await server.ask("POST", `/sessions/${id}/files?name=${CANARY}`, file);
    expect(stored.status).toBe(201);
    // Refused requests, whose text could be logged.
    await server.ask("GET", `/sessions/${CANARY}-missing?search=${CANARY}`);
    await server.ask("GET", `/${CANARY}`, { token: CANARY });
    await server.ask("POST", "/graphql", { body: { query: `{ ${CANARY} }` } });
    await server.end("SIGKILL");
    sendHook({ ...environmentOf(place), TMPDIR: env.TMPDIR }, join(place.root, "work"));
    writeFileSync(join(place.root, "output"), server.program.stdout + server.program.stderr);
    const found = filesIn(place.root)
      .filter((name) => readFileSync(join(place.root, name)).includes(CANARY))
      .map((name) => name.replace(".belay/", ""));
    expect(recordOf((await run("get", id, "--json")).json).title).toBe(CANARY);
    return found;
  } finally {
    await endAll();
    place.remove();
  }
}

/** A hook without the key writes to the spool. */
function sendHook(env: Record<string, string>, cwd: string): void {
  const event = {
    hook_event_name: "UserPromptSubmit",
    session_id: "402e7a18-1d9b-4983-815e-734ca53fd8fa",
    prompt: CANARY,
    cwd,
  };
  const options = { env, cwd, input: JSON.stringify(event) };
  expect(spawnSync(process.execPath, [HOOK, "hook", "claude-code"], options).status).toBe(0);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}
