import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BelayError, ERRORS } from "../../src/contract/errors.ts";
import { peopleOperations } from "../../src/contract/operations/people-operations.ts";
import { shareOperations } from "../../src/contract/operations/share-operations.ts";
import { tokenOperations } from "../../src/contract/operations/token-operations.ts";
import { OPERATIONS, type OperationName } from "../../src/contract/operations.ts";
import { ROUTES } from "../../src/doors/http/routes.ts";
import { METHODS } from "../../src/doors/library/methods.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { type Belay, openBelay } from "../../src/index.ts";
import { callTool, connect } from "../parity/mcp-door.ts";
import { endAll, newPlace, type RealServer, recordOf, serve } from "../serve/server-process.ts";

type Fields = Readonly<Record<string, unknown>>;

const ID = "session-1";
/** Valid inputs, each with a value for every field. */
const VALID: Partial<Record<OperationName, Fields>> = {
  add_person: { name: "bob", display_name: "Bob", role: "member", identities: [] },
  list_people: {},
  disable_person: { name: "nobody" },
  whoami: {},
  create_token: { name: "ci", scope: "read", owner: "nobody", idle_days: 3, until: "7d" },
  list_tokens: {},
  revoke_token: { token_id: "none" },
  share: { id: ID, with: "nobody", everyone: false, role: "viewer", until: "7d" },
  unshare: { id: ID, with: "nobody", everyone: false },
  shares: { id: ID },
  shared: {},
  preview_link: { id: ID },
  add_link: { id: ID, until: "7d" },
  list_links: { id: ID },
  revoke_link: { id: ID, link_id: "none" },
  audit: {
    ...{ id: ID, everyone: false, since: "2026-01-01", person: "bob", what: "did", limit: 5 },
    cursor: undefined,
  },
  set_expiry: {
    ...{ id: ID, expires_at: "2099-01-01", never: false },
    ...{ idempotency_key: "once", expected_version: 99 },
  },
  set_expiration: { after_days: 30, never: false, everyone: false },
  purge: { id: ID },
  cleanup: { hours: 1, expired: false, dry_run: true, force: false },
};

/** Refused in every field, except in those that `accepts` names. */
const ODD: readonly unknown[] = [
  ...["", "   ", "\u2003", "\ud800", "a\0b", "a\r\nb", "../", "../../etc/passwd", "a/b", "/", "*"],
  ...["__proto__", "constructor", "\u202ebob", "bob\u200b", "b\u043eb", "x".repeat(4096)],
  ...["7d garbage", "0d", "-1d", "99999d", "7D", "2027-02-30", "+275760-09-13T00:00:00Z"],
  ...["2000-01-01", "9999-12-31", "now", "true", "5"],
  ...[5, -1, 0, 1.5, 1e300, Number.NaN, true, null, [], ["bob"], {}, Array(10_000).fill("bob")],
];

/** The fields that are only compared or shown, so that any line of text is fine. */
const TEXTS = ["create_token.name", "add_person.display_name", "audit.person"];
const FUTURE = ["create_token.until", "share.until", "set_expiry.expires_at"];

function accepts(operation: OperationName, field: string, value: unknown): boolean {
  const place = `${operation}.${field}`;
  if (typeof value === "boolean") return true;
  if (TEXTS.includes(place) || field === "idempotency_key") {
    const isLine = typeof value === "string" && !/\p{Cc}/u.test(value) && value.trim() !== "";
    return isLine && value.isWellFormed() && value.length < 128;
  }
  if (place === "audit.since") return value === "2000-01-01" || value === "9999-12-31";
  if (FUTURE.includes(place)) return value === "9999-12-31";
  if (place === "add_person.name") return /^[A-Za-z0-9][\w.@+-]*$/.test(String(value));
  if (place === "add_person.identities") return Array.isArray(value) && value.length === 0;
  if (place === "cleanup.hours") return typeof value === "number" && value > 0;
  return value === 5 && ["idle_days", "limit", "after_days"].includes(field);
}

const NAMES = Object.keys(OPERATIONS).filter((name): name is OperationName => name in VALID);

/** Every odd input of an operation, with a name for the report. */
function oddInputs(operation: OperationName): [label: string, input: unknown][] {
  const valid = VALID[operation] ?? {};
  const fields = Object.keys(OPERATIONS[operation].input.shape);
  const odd = fields.flatMap((field) =>
    ODD.filter((value) => !accepts(operation, field, value)).map((value): [string, unknown] => [
      `${field} = ${JSON.stringify(value)?.slice(0, 40)}`,
      { ...valid, [field]: value },
    ]),
  );
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, nth) => [`k${nth}`, nth]));
  const prototype = JSON.parse('{"__proto__": {"role": "admin"}}');
  const others = [
    { ...valid, admin: true },
    { ...valid, ...many },
    Object.assign(prototype, valid),
  ];
  const wrong = [...others, null, [valid], "bob", 5].map((input): [string, unknown] => [
    JSON.stringify(input).slice(0, 40),
    input,
  ]);
  return [...odd, ...wrong];
}

interface Told {
  readonly code: string;
  readonly message: string;
}

/** Null for a clear refusal in plain words, else what is wrong with it. */
function judge(told: Told | null): string | null {
  if (!told) return "was accepted";
  const { code, message } = told;
  if (!(code in ERRORS) || code === "internal") return `${code}: ${message}`;
  const isRaw =
    /invalid input|expected \w+, received|undefined|\[object|\w+Error:|SQLITE|zod/i.test(message);
  const isSentence = /^\S+ \S+/.test(message) && message.length < 700;
  return isRaw || !isSentence ? `unclear: ${code}: ${message}` : null;
}

describe("an odd input for people, shares, tokens, audit and expiration", () => {
  it("is tried in every operation on people, shares and tokens", () => {
    const tables = { ...peopleOperations, ...shareOperations, ...tokenOperations };
    expect(Object.keys(tables).filter((name) => !(name in VALID))).toEqual([]);
    for (const name of NAMES) {
      const given = Object.keys(VALID[name] ?? {}).toSorted();
      expect([name, given]).toEqual([name, Object.keys(OPERATIONS[name].input.shape).toSorted()]);
    }
  });

  describe("in the library", () => {
    const home = mkdtempSync(join(tmpdir(), "belay-odd-"));
    let belay: Belay;
    beforeAll(async () => {
      belay = await openBelay({ home, owner: "ann" });
      await belay.people.add({ name: "zoe" });
      await belay.sessions.create({ agent_name: "a", session_id: ID });
    });
    afterAll(async () => {
      await belay.close();
      rmSync(home, { recursive: true });
    });

    it.each(NAMES)("is refused clearly by %s, and changes nothing", async (name) => {
      const state = async (): Promise<unknown> => [
        await belay.people.list(),
        await belay.tokens.list(),
        await belay.sessions.get({ id: ID }),
        await belay.shares.of({ id: ID }),
        await belay.links.list({ id: ID }),
        await belay.sessions.expiration(),
      ];
      const before = await state();
      const wrong: string[] = [];
      for (const [label, input] of oddInputs(name)) {
        const problem = judge(await callMethod(belay, name, input));
        if (problem) wrong.push(`${label}: ${problem}`);
      }
      expect(wrong).toEqual([]);
      expect(await state()).toEqual(before);
    });
  });

  describe("over HTTP", () => {
    const place = newPlace();
    let server: RealServer;
    let client: Client;
    beforeAll(async () => {
      server = await serve(place);
      await server.ask("POST", "/sessions", { body: { agent_name: "a", session_id: ID } });
      client = await connect(server);
    });
    afterAll(async () => {
      await client.close();
      await endAll();
      place.remove();
    });

    it.each(NAMES)("is refused clearly by the route of %s", async (name) => {
      const wrong: string[] = [];
      for (const [label, input] of oddInputs(name)) {
        if (!isSendable(name, input)) continue;
        const problem = judge(await askRoute(server, name, input));
        if (problem) wrong.push(`${label}: ${problem}`);
      }
      expect(wrong).toEqual([]);
    });

    it("is refused by MCP, which has no tool for people", async () => {
      for (const name of NAMES) {
        expect(Object.values(TOOLS).map(({ operation }): string => operation)).not.toContain(name);
        await expect(callTool(client, name, VALID[name] ?? {})).rejects.toThrow(
          /not found|unknown/i,
        );
      }
    });

    const SESSION_TOOLS = Object.entries(TOOLS).flatMap(([name, { operation }]) =>
      // For a missing session, should_resume answers no.
      "id" in OPERATIONS[operation].input.shape && operation !== "should_resume" ? [name] : [],
    );
    it.each(SESSION_TOOLS)("is refused clearly as the session of %s", async (name) => {
      const wrong: string[] = [];
      for (const id of [
        ...ODD,
        "ann/",
        "/ann",
        "ann//x",
        "ann/x/y",
        "ann/../bob/x",
        "local/../x",
      ]) {
        const { content, isError } = await client.callTool({ name, arguments: { id } });
        const text = content[0]?.type === "text" ? content[0].text : "";
        const problem = judge(isError ? toldIn(JSON.parse(text)) : null);
        if (problem) wrong.push(`${JSON.stringify(id)?.slice(0, 40)}: ${problem}`);
      }
      expect(wrong).toEqual([]);
    });

    it("leaves the server alive, and nothing stored", async () => {
      expect((await server.ask("GET", "/people")).json).toEqual({ people: [] });
      expect((await server.ask("GET", `/sessions/${ID}/shares`)).json).toMatchObject({
        shares: [],
      });
      expect((await server.ask("GET", `/sessions/${ID}/links`)).json).toMatchObject({ links: [] });
    });
  });
});

describe("an odd name of the data folder's user", () => {
  it.each(["*", "a/b", "../x", "b\u043eb", "recovery", "Ann Ash"])(
    "cannot become a person: %s",
    async (owner) => {
      const home = mkdtempSync(join(tmpdir(), "belay-odd-"));
      const belay = await openBelay({ home, owner });
      const told = await callMethod(belay, "add_person", { name: "bob" });
      const { people } = await belay.people.list();
      await belay.close();
      rmSync(home, { recursive: true });
      expect(told).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("set BELAY_OWNER to another name first."),
      });
      expect(people).toEqual([]);
    },
  );
});

async function callMethod(belay: Belay, name: OperationName, input: unknown): Promise<Told | null> {
  const [group, methods] = Object.entries(METHODS)
    .map(([key, { methods: all }]) => [key, all] as const)
    .find(([, all]) => Object.values(all).includes(name)) ?? ["", {}];
  const method = Object.entries(methods).find(([, operation]) => operation === name)?.[0] ?? "";
  // Called like from a program without types.
  const call: (input: unknown) => Promise<unknown> = Object(belay)[group][method];
  try {
    await call(input);
    return null;
  } catch (error) {
    if (error instanceof BelayError) return error;
    return { code: "not a BelayError", message: String(error) };
  }
}

const PATHS: Partial<Record<OperationName, { readonly method: string; readonly path: string }>> =
  ROUTES;

/** False for an input that cannot be written as a path and a query. */
function isSendable(name: OperationName, input: unknown): boolean {
  const { method = "", path = "" } = PATHS[name] ?? {};
  const written = Object.entries(recordOf(input)).filter(
    ([field]) => method === "GET" || path.includes(`:${field}`),
  );
  const hasNames = method === "GET" || path.includes(":");
  const isRecord = typeof input === "object" && input !== null && !Array.isArray(input);
  return (isRecord || !hasNames) && written.every(([, value]) => typeof value !== "object");
}

async function askRoute(
  server: RealServer,
  name: OperationName,
  input: unknown,
): Promise<Told | null> {
  const { method = "", path = "" } = PATHS[name] ?? {};
  const fields = recordOf(input);
  const at = path.replace(/:(\w+)/g, (_, field) =>
    encodeURIComponent(String(fields[field]).toWellFormed()),
  );
  const rest = Object.entries(fields).filter(([field]) => !path.includes(`:${field}`));
  const query = new URLSearchParams(
    rest.map(([field, value]): [string, string] => [field, String(value)]),
  );
  const asked =
    method === "GET"
      ? await server.ask(method, `${at}?${query}`)
      : await server.ask(method, at, { body: path === at ? input : Object.fromEntries(rest) });
  return asked.status < 400 ? null : toldIn(asked.json);
}

function toldIn(body: unknown): Told {
  const { error, message } = recordOf(body);
  return { code: String(error), message: String(message) };
}
