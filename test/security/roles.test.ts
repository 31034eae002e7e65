import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SESSION_ROLES } from "../../src/contract/vocabulary.ts";
import { LEAST_ROLE, mayDo } from "../../src/core/shares.ts";
import { FIELD_WAYS, TOOL_WAYS } from "../http/door-ways.ts";
import { ABSENT, DOOR_TABLE, type DoorRow, MARK, prepareAnns } from "../http/doors-table.ts";
import { isQuery, type Reply, rowsOf, type Way } from "../http/judge-ways.ts";
import { type Doors, openDoors } from "../http/open-doors.ts";
import { ROUTE_WAYS } from "../http/route-ways.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

/** The people with whom ann has shared her session, by role, and those without access. */
const WITHOUT = [
  ...["stranger", "admin", "nobody", "expired", "revoked", "disabled", "lapsed", "unshared"],
];
type Name = (typeof SESSION_ROLES)[number] | (typeof WITHOUT)[number];

let doors: Doors;
const tokens = new Map<Name, string | null>([["nobody", null]]);
beforeAll(async () => {
  doors = await openDoors();
  const { service } = doors;
  for (const name of [...SESSION_ROLES, ...WITHOUT]) {
    if (name === "nobody") continue;
    // An admin of the server reads no session of others either.
    const isAdmin = name === "admin";
    await service.call("add_person", { name, role: isAdmin ? "admin" : "member" }, ROOT);
    const until = name === "expired" ? { until: soon() } : {};
    const scope = isAdmin ? "admin" : "write";
    const made = await service.call("create_token", { owner: name, scope, ...until }, ROOT);
    tokens.set(name, made.token);
    if (name === "revoked") await service.call("revoke_token", { token_id: made.id }, ROOT);
  }
  await service.call("disable_person", { name: "disabled" }, ROOT);
  await service.call("add_person", { name: "disabled" }, ROOT);
  await sleep(SOON_MS);
});

/** Long enough for a slow machine to use it before it is over. */
const SOON_MS = 2000;
function soon(): string {
  return new Date(Date.now() + SOON_MS).toISOString();
}

/** Every route, tool, field and subscription that can name someone else's session. */
const NAMING = [...ROUTE_WAYS, ...TOOL_WAYS, ...FIELD_WAYS].flatMap((way) =>
  rowsOf(way)
    .filter((row) => OPERATIONS[way.operation].scope !== "admin" && namesSession(row))
    .map((row) => ({ way, row })),
);

describe("every route, tool and field that names another person's session", () => {
  it("is in the matrix", () => {
    const operations = new Set(NAMING.map(({ way }) => way.operation));
    expect(operations.size).toBeGreaterThan(30);
    expect(NAMING.length).toBeGreaterThan(90);
    for (const [operation, rows] of Object.entries(DOOR_TABLE)) {
      if (rows.some(namesSession)) expect([...operations]).toContain(operation);
    }
  });

  it("allows each role what the table says, and answers others as if the session were missing", async () => {
    expect(await findWrongs([...SESSION_ROLES, ...WITHOUT])).toEqual([]);
  });

  it("control: is found if the service ignores the owner", async () => {
    doors.change = (caller) => ({ ...caller, owner: "ann" });
    const found = (await findWrongs(["viewer", "stranger"])).join("\n");
    doors.change = (caller) => caller;
    for (const { way, row } of NAMING) {
      if (row.refused || way.label.endsWith(" as a stream")) continue;
      // Advice about a missing session looks like advice about an existing one.
      if (way.operation !== "should_resume") expect(found).toContain(`${way.label} by stranger`);
      if (!mayDo("viewer", way.operation)) expect(found).toContain(`${way.label} by viewer`);
    }
  });
});

/** Every query that names no session: lists, counts, searches, feeds and timelines. */
const OPEN = [...ROUTE_WAYS, ...TOOL_WAYS, ...FIELD_WAYS].flatMap((way) =>
  rowsOf(way)
    .filter((row) => !namesSession(row) && !row.wordless && !row.refused && !row.after)
    .filter(() => OPERATIONS[way.operation].scope !== "admin")
    // Another session by its bare id is not the shared one.
    .filter((row) => !("id" in row.input(ABSENT)))
    // Everyone sees the names of people.
    .filter(() => isQuery(way.operation) && way.operation !== "list_people")
    .map((row) => ({ way, row })),
);

describe("every query that names no session", () => {
  it("shows a shared session to the roles in the table, and to nobody else", async () => {
    expect(OPEN.length).toBeGreaterThan(5);
    expect(await findShown([...SESSION_ROLES, ...WITHOUT])).toEqual([]);
  });

  it("control: is found if the service ignores the owner", async () => {
    doors.change = (caller) => ({ ...caller, owner: "ann" });
    const found = (await findShown(["stranger"])).join("\n");
    doors.change = (caller) => caller;
    for (const { way } of OPEN) {
      // The first event of a stream need not contain text.
      if (!way.label.endsWith(" as a stream")) expect(found).toContain(`${way.label} by stranger`);
    }
  });
});

async function findShown(names: readonly Name[]): Promise<string[]> {
  const wrongs: string[] = [];
  for (const name of names) {
    const things = await prepareShared(name);
    const isRole = SESSION_ROLES.some((role) => role === name);
    for (const { way, row } of OPEN) {
      const input = row.input(things);
      const { text } = await way.ask(doors, tokens.get(name) ?? null, input);
      const isShown = text.includes(MARK);
      if (isShown === (isRole && LEAST_ROLE[way.operation] !== null)) continue;
      wrongs.push(`${way.label} by ${name}: ${isShown ? "shown" : "not shown"}`);
    }
  }
  return wrongs;
}

async function findWrongs(names: readonly Name[]): Promise<string[]> {
  const wrongs: string[] = [];
  for (const name of names) {
    const things = await prepareShared(name);
    const isOut = ["nobody", "expired", "revoked", "disabled"].includes(name);
    const role = SESSION_ROLES.find((known) => known === name);
    const ask = async ({ way, row }: (typeof NAMING)[number], session: string): Promise<void> => {
      const input = row.input({ ...things, session });
      const reply = await way.ask(doors, tokens.get(name) ?? null, input);
      const wrong = isOut
        ? judgeOut(reply)
        : role && LEAST_ROLE[way.operation] !== undefined
          ? judgeRole(reply, mayDo(role, way.operation))
          : await judgeStranger(reply, way, row, name, [session, `ann/${things.session}`]);
      if (wrong) wrongs.push(`${way.label} by ${name}: ${wrong}`);
    };
    const calls = NAMING.flatMap((one) => {
      const named = { one, session: `ann/${things.session}` };
      // The service resolves both forms, so one door is enough for the second.
      const isRoute = ROUTE_WAYS.includes(one.way);
      return isRoute ? [named, { one, session: things.entity }] : [named];
    });
    // Queries come first: the control lets commands through, and one of them deletes the session.
    const isRead = ({ one }: (typeof calls)[number]) => isQuery(one.way.operation);
    // A purge is refused before the session is deleted, and would remove it for the other commands afterwards.
    const isPurge = ({ one }: (typeof calls)[number]) => one.way.operation === "purge";
    const commands = calls.filter((call) => !isRead(call) && !isPurge(call));
    await Promise.all(calls.filter(isRead).map(({ one, session }) => ask(one, session)));
    await Promise.all(calls.filter(isPurge).map(({ one, session }) => ask(one, session)));
    // What a role may change is changed in turn.
    if (role && !isOut) for (const { one, session } of commands) await ask(one, session);
    else await Promise.all(commands.map(({ one, session }) => ask(one, session)));
  }
  return wrongs;
}

function judgeOut({ status, text }: Reply): string | null {
  return status === 401 && !text.includes(MARK) ? null : `${status} ${text.slice(0, 200)}`;
}

function judgeRole({ code, text }: Reply, allowed: boolean): string | null {
  const isRefused = code === "not_allowed";
  const isFound = code !== "session_not_found";
  if (isFound && isRefused !== allowed) return null;
  return `${allowed ? "may" : "may not"}, and was answered ${code} ${text.slice(0, 200)}`;
}

/** The answers about a session that never existed. */
const nevers = new Map<string, Reply>();

/** A session that is not shared must be answered like one that never existed. */
async function judgeStranger(
  reply: Reply,
  way: Way,
  row: DoorRow,
  name: Name,
  named: readonly string[],
): Promise<string | null> {
  const absent = { ...ABSENT, session: `ann/${ABSENT.session}` };
  const asked = `${way.label} ${JSON.stringify(row.input(absent))}`;
  const never =
    nevers.get(asked) ?? (await way.ask(doors, tokens.get(name) ?? null, row.input(absent)));
  nevers.set(asked, never);
  const isSame =
    reply.code === never.code &&
    reply.status === never.status &&
    withoutNames(reply, named) === withoutNames(never, [absent.session]);
  if (isSame && !reply.text.includes(MARK)) return null;
  return `${reply.code} and not ${never.code}: ${reply.text.slice(0, 200)}`;
}

/** The answer without the names of the session. */
function withoutNames({ text }: Reply, named: readonly string[]): string {
  return named
    .flatMap((name) => [name, encodeURIComponent(name)])
    .reduce((left, name) => left.replaceAll(name, "<session>"), text);
}

/** A session of ann's for one of them: shared in a role, or no longer shared. */
async function prepareShared(name: Name) {
  const { service } = doors;
  const things = await prepareAnns(doors, undefined);
  const id = things.session;
  const role = SESSION_ROLES.find((known) => known === name);
  // The question is another session's.
  for (const each of role ? [id, things.taken] : []) {
    await service.call("share", { id: each, with: name, role }, ROOT);
  }
  if (name === "lapsed") {
    await service.call("share", { id, with: name, role: "editor", until: soon() }, ROOT);
    await sleep(SOON_MS);
  }
  if (name === "unshared") {
    await service.call("share", { id, with: name, role: "editor" }, ROOT);
    await service.call("unshare", { id, with: name }, ROOT);
  }
  return things;
}

function namesSession({ input }: DoorRow): boolean {
  return Object.values(input(ABSENT)).includes(ABSENT.session);
}
