import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import { FIELD_WAYS, MCP_ACCEPT, readMcp, schema, TOOL_WAYS } from "./door-ways.ts";
import { DOOR_TABLE, mayDo } from "./doors-table.ts";
import { findViolations, returningData } from "./judge-ways.ts";
import { type Doors, openDoors } from "./open-doors.ts";

const EVERYONE = [
  ...([
    "nobody",
    "revoked",
    "reader",
    "recorder",
    "other",
    "otherAdmin",
    "owner",
    "admin",
  ] as const),
];

const WAYS = [...TOOL_WAYS, ...FIELD_WAYS];
const RETURNING_DATA = returningData(WAYS);

// The matrix comes last, because it leaves many sessions, which makes lists slow.
let server: Doors;
beforeAll(async () => {
  server = await openDoors();
});

describe("control: a service without a check", () => {
  afterAll(() => {
    server.change = (caller) => caller;
  });

  it("of scopes is found at every command", async () => {
    server.change = ({ scope, ...caller }) => caller;
    const found = (await findViolations(server, ["reader"], WAYS)).join("\n");
    const commands = WAYS.filter(({ operation }) => !mayDo("reader", operation));
    for (const { label } of commands) expect(found).toContain(`${label} by reader`);
  });

  it("of the creator is found at every query that returns data", async () => {
    server.change = (caller) =>
      caller.scope === "record" ? { ...caller, scope: "write" } : caller;
    const found = (await findViolations(server, ["recorder"], WAYS)).join("\n");
    const ways = RETURNING_DATA.filter(({ operation }) => mayDo("recorder", operation));
    for (const { label } of ways) expect(found).toContain(`${label} by recorder`);
    expect(found).toContain("recorder changed what is ann's");
  });

  it("of owners is found at every query that returns data", async () => {
    server.change = (caller) => ({ ...caller, owner: "ann", role: "admin" });
    const found = (await findViolations(server, ["otherAdmin"], WAYS)).join("\n");
    for (const { label } of RETURNING_DATA) expect(found).toContain(`${label} by otherAdmin`);
    expect(found).toContain("otherAdmin changed what is ann's");
  });
});

describe("every tool and every field of GraphQL", () => {
  it("has a line in the table", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { text } = await server.ask("POST", "/mcp", { body, headers: MCP_ACCEPT });
    const told = readMcp(text).result;
    const tools = isRecord(told) && Array.isArray(told.tools) ? told.tools.filter(isRecord) : [];
    expect(tools.map(({ name }) => `tool ${name}`)).toEqual(TOOL_WAYS.map(({ label }) => label));
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
    expect(FIELD_WAYS.map(({ label }) => label).toSorted()).toEqual(
      fields.map((name) => `field ${name}`).toSorted(),
    );
    for (const { operation, label } of WAYS) {
      expect(DOOR_TABLE[operation]?.length ?? 0, label).toBeGreaterThan(0);
    }
  });

  it("allows the same callers as the operation, and shows no data of others", async () => {
    expect(await findViolations(server, EVERYONE, WAYS)).toEqual([]);
  });
});
