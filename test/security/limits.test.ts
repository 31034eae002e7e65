import { beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { BadPayload, parsePayload } from "../../src/integrations/claude/hooks/payload.ts";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../../src/service/scan-json.ts";
import { cpuTimeOf } from "../cpu-time.ts";
import { openDoors } from "../http/open-doors.ts";
import { openServer } from "../http/open-server.ts";
import { as, onMemory } from "../service/on-memory.ts";
import { countRounds } from "./count-rounds.ts";

/** The cost limits of one request, with or without a token. The campaign `npm run test:limits` measures every route. */
const KEYS = 700_000;
let manyKeys: string;
beforeAll(() => {
  manyKeys = `{${Array.from({ length: KEYS }, (_, at) => `"k${at}":1`).join(",")}}`;
});

describe("a body with very many keys", () => {
  it("is refused at /login by its size, before it is read", async () => {
    const server = await openServer();
    const answer = await server.ask("POST", "/login", { token: null, body: manyKeys });
    expect(answer).toMatchObject({ status: 413, json: { error: "too_large" } });
    const small = { code: "x".repeat(100) };
    expect(await server.ask("POST", "/login", { token: null, body: small })).toMatchObject({
      status: 401,
    });
  });

  it("is refused elsewhere by its count, before it is parsed", async () => {
    const server = await openServer();
    for (const path of ["/sessions", "/graphql", "/mcp"]) {
      // The longest stall cannot be longer than all the work, and other programs do not count in this.
      const spent = await cpuTimeOf(async () => {
        const answer = await server.ask("POST", path, { body: manyKeys });
        expect(answer, path).toMatchObject({ status: 413, json: { error: "too_large" } });
        expect(answer.text.length).toBeLessThan(2000);
      });
      expect(spent, path).toBeLessThan(500);
    }
  });

  it("is not read from a token that may not write", async () => {
    const server = await openServer();
    const token = server.tokens.ann.read;
    for (const path of ["/sessions", "/hooks/claude-code", "/login/links"]) {
      const answer = await server.ask("POST", path, { token, body: manyKeys });
      expect(answer, path).toMatchObject({ status: 403, json: { error: "not_allowed" } });
    }
  });

  it("passes below the limit, and unknown keys are named ten at most", async () => {
    const server = await openServer();
    const keys = Array.from({ length: MAX_JSON_VALUES / 2 - 2 }, (_, at) => [`k${at}`, at]);
    const answer = await server.ask("POST", "/sessions", {
      body: { agent_name: "a", ...Object.fromEntries(keys) },
    });
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_input" } });
    expect(answer.text.length).toBeLessThan(2000);
    const details = { unknown: Array.from({ length: 10 }, (_, at) => `k${at}`) };
    expect(answer.json).toMatchObject({ details });
  });

  it("is not parsed by a hook", () => {
    expect(() => parsePayload(manyKeys)).toThrow(BadPayload);
    expect(() => parsePayload(manyKeys)).toThrow(/more than 50000 keys and values/);
    expect(parsePayload('{"hook_event_name":"Stop"}')).toEqual({ hook_event_name: "Stop" });
  });
});

describe("spans of long turns", () => {
  it("are read in parts, so that others are answered in between", async () => {
    const { service } = onMemory();
    const caller = as("ann", "library");
    const created = { agent_name: "a", session_id: "long-1" };
    const { entity_id } = await service.call("create", created, caller);
    const output = "x".repeat(LIMITS.PAGE_BYTES / 2);
    for (let n = 0; n < 8; n += 1) {
      await service.call("record_turn", { id: "long-1", input: "a", output }, caller);
    }
    const { rounds, answer } = await countRounds(() =>
      service.call("spans", { entity_id, limit: 100 }, caller),
    );
    expect(answer.sessions[0]?.spans.filter(({ kind }) => kind === "turn")).toHaveLength(8);
    expect(rounds).toBeGreaterThanOrEqual(4);
  });
});

describe("a batch of MCP", () => {
  it("contains at most one request, because each answer may have the full length", async () => {
    const { ask } = await openDoors();
    const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
    const noted = { jsonrpc: "2.0", method: "notifications/initialized" };
    const send = (body: unknown) =>
      ask("POST", "/mcp", { body, headers: { accept: "application/json, text/event-stream" } });
    expect(await send([noted, list(1)])).toMatchObject({ status: 200 });
    expect(await send([list(1), list(2)])).toMatchObject({
      status: 400,
      json: { error: { code: -32600 } },
    });
  });
});

describe("depth", () => {
  it("has the same limit for a GraphQL literal as for a REST body", async () => {
    const server = await openServer();
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const rest = async (depth: number, id: string) => {
      const body = `{"agent_name":"a","session_id":"${id}","metadata":{"deep":${nested(depth)}}}`;
      return (await server.ask("POST", "/sessions", { body })).status;
    };
    const graphql = async (depth: number, id: string) => {
      const query = `mutation { createAgentSession(agentName: "a", sessionId: "${id}", metadata: {deep: ${nested(depth)}}) { id } }`;
      return (await server.ask("POST", "/graphql", { body: { query } })).text;
    };
    // The body and the metadata are two levels themselves.
    const deepest = MAX_JSON_DEPTH - 2;
    expect(await rest(deepest, "rest-deep")).toBe(201);
    expect(await rest(deepest + 1, "rest-deeper")).toBe(400);
    expect(await graphql(deepest, "literal-deep")).not.toContain("nested");
    expect(await graphql(deepest + 1, "literal-deeper")).toMatch(/nested more than 63 deep/);
  });
});
