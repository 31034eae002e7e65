import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { MEASURED } from "../patience.ts";
import { processesMarked, until, writeAgent } from "../run/run-lab.ts";
import type { RealServer, ServerPlace } from "./server-process.ts";
import { endAll, listOf, newPlace, recordOf, runBelay, serve, textOf } from "./server-process.ts";

let place: ServerPlace;
const begun: string[] = [];
afterEach(async () => {
  await endAll();
  // Only needed if a test has failed.
  for (const pid of begun.splice(0).flatMap(processesMarked)) process.kill(pid, "SIGKILL");
  place.remove();
});

/** A turn that runs until it is ended. */
async function beginTurn(server: RealServer) {
  const project = { cwd: join(place.root, "work"), repo: null, branch: null };
  const body = { agent_name: "agent", project, initial_message: "/say begun\n/slow 60000" };
  const { json: session } = await server.ask("POST", "/sessions", { body });
  const [id, entity_id] = [textOf(session, "session_id"), textOf(session, "entity_id")];
  begun.push(entity_id);
  await until("its words", async () => {
    const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
    return listOf(json, "events").some(({ type }) => type === "turn.part");
  });
  return { id, entity_id };
}

function makePlace(...flags: string[]): void {
  place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeAgent(place.home, { flags });
}

describe("a server", () => {
  it("that was killed leaves no message unanswered: the next one answers them", async () => {
    makePlace();
    const first = await serve(place);
    const { id } = await beginTurn(first);
    const body = { message: "/say answered after all", wait: false };
    const headers = { "idempotency-key": "after-all" };
    const sent = await first.ask("POST", `/sessions/${id}/messages`, { body, headers });
    expect(sent.status).toBe(202);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");

    const second = await serve(place);
    await until("both ends", async () => {
      const { json } = await second.ask("GET", `/sessions/${id}/messages`);
      const turns = listOf(json, "turns");
      return turns.length === 2 && turns.every(({ ended_at }) => ended_at);
    });
    const { json } = await second.ask("GET", `/sessions/${id}/messages`);
    expect(listOf(json, "turns")).toMatchObject([
      { status: "interrupted" },
      {
        turn_id: textOf(sent.json, "turn_id"),
        status: "completed",
        output: expect.stringContaining("answered after all"),
      },
    ]);
    // A client that sends it once more gets this answer.
    const again = await second.ask("POST", `/sessions/${id}/messages`, { body, headers });
    expect(textOf(again.json, "turn_id")).toBe(textOf(sent.json, "turn_id"));
    const log = await second.ask("GET", `/sessions/${id}/events?limit=1000`);
    const queued = listOf(log.json, "events").filter(({ type }) => type === "message.queued");
    expect(queued).toHaveLength(2);
  });

  it("that was killed during a turn is followed by one that recovers and continues the turn", async () => {
    makePlace("--ignore-end");
    const first = await serve(place);
    const { id, entity_id } = await beginTurn(first);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    // Its files still exist, and its agent still runs: nobody has cleaned up yet.
    expect(processesMarked(entity_id)).not.toEqual([]);
    expect(recordOf(JSON.parse(readFileSync(join(place.home, "server.json"), "utf8"))).pid).toBe(
      first.pid,
    );

    const second = await serve(place);
    await until("the orphans' end", () => processesMarked(entity_id).length === 0);
    await until("the recovery", async () => {
      const { json } = await second.ask("GET", `/sessions/${id}/messages`);
      return listOf(json, "turns")[1]?.ended_at;
    });
    const done = /^belay_chore_done_total\{chore="recovery",what="recovered"\} 1$/m;
    await until("the chore", async () => done.test((await second.ask("GET", "/metrics")).text));
    const { json: past } = await second.ask("GET", `/sessions/${id}/messages`);
    expect(listOf(past, "turns")).toMatchObject([
      { status: "interrupted", output: expect.stringContaining("begun") },
      { status: "completed", input: "Continue the work that was interrupted." },
    ]);
    expect((await second.ask("GET", `/sessions/${id}`)).json).toMatchObject({
      stale: false,
      open_actions: 0,
    });

    const message = "/say still here";
    const answer = await second.ask("POST", `/sessions/${id}/messages`, { body: { message } });
    expect([answer.status, answer.json]).toMatchObject([200, { status: "completed" }]);
    expect(await second.end()).toBe(0);
    expect(processesMarked(entity_id)).toEqual([]);
    expect((await runBelay(place, ["verify", "--json"])).code).toBe(0);
  });

  it("exits at once when it is interrupted twice; the next one cleans up", MEASURED, async () => {
    makePlace("--ignore-end", "--ignore-term");
    const first = await serve(place);
    const { id, entity_id } = await beginTurn(first);
    first.program.signal("SIGINT");
    await first.program.says(() => (first.program.stderr.includes('"ending"') ? true : null));
    // Its agent does not end by itself: until it is forced to, the server is still there.
    expect(first.program.hasEnded).toBe(false);
    const at = performance.now();
    expect(await first.end("SIGINT")).toBe(1);
    expect(performance.now() - at).toBeLessThan(1000);

    const second = await serve(place);
    await until("the orphans' end", () => processesMarked(entity_id).length === 0);
    await until("the recovery", async () => {
      const { json } = await second.ask("GET", `/sessions/${id}`);
      return recordOf(json).stale === false;
    });
    expect(await second.end()).toBe(0);
    expect((await runBelay(place, ["verify", "--json"])).code).toBe(0);
  });
});
