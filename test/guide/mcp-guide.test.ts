import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, connect } from "../parity/mcp-door.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  recordOf,
  runBelay,
  serve,
} from "../serve/server-process.ts";
import { runExample } from "./guide-lab.ts";
import { listExamples, readGuide } from "./read-guide.ts";

const guide = readGuide("docs/guide/mcp.md");
const place = newPlace();
let server: RealServer;
let client: Client;
beforeAll(async () => {
  server = await serve(place);
  client = await connect(server);
});
afterAll(async () => {
  await client.close();
  await server.end();
  await endAll();
  place.remove();
});

/** Other programs' commands need those programs. */
const typed = listExamples(guide)
  .flatMap(({ script }) => script.split("\n"))
  .filter((line) => line.startsWith("belay "));

describe("docs/guide/mcp.md", () => {
  it("has commands", () => {
    expect(typed).not.toEqual([]);
  });

  it.each(typed)("%s", async (line) => {
    const { code, stdout, stderr } = await runExample(server, line);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toBe("");
  });

  it("describes a conversation that works", async () => {
    const said = [...guide.matchAll(/`([a-z]+_[a-z_]+) (\{[^`]*\})`|`(belay approve) ID`/g)];
    const done: string[] = [];
    let action_id: unknown;
    for (const [, tool = "", args = "", approves] of said) {
      if (approves) {
        const { json } = await runBelay(place, ["approvals", "--json"]);
        const [question] = listOf(json, "approvals");
        const id = String(question?.approval_id);
        expect((await runBelay(place, ["approve", id, "--json"])).code).toBe(0);
        done.push(approves);
        continue;
      }
      const given = recordOf(JSON.parse(args));
      const answer = await callTool(client, tool, {
        ...given,
        // The guide leaves out unpredictable values.
        ...(given.action_id === "…" && { action_id }),
      });
      expect([tool, answer]).toMatchObject([tool, { ok: true }]);
      const value = answer.ok ? recordOf(answer.value) : {};
      action_id = value.action_id ?? action_id;
      done.push(tool);
    }
    expect(done).toEqual(expect.arrayContaining(["create_session", "request_approval"]));
    expect(done.indexOf("belay approve")).toBeGreaterThan(done.indexOf("request_approval"));
    const log = await callTool(client, "read_log", { id: "release-1.4" });
    const types = log.ok ? listOf(log.value, "events").map(({ type }) => type) : [];
    expect(types).toContain("approval.decided");
    expect(types.at(-1)).toBe("action.started");
  });
});
