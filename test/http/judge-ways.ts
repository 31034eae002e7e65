import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { CallerName, DoorRow, Things } from "./doors-table.ts";
import {
  ABSENT,
  CALLERS,
  DOOR_TABLE,
  MARK,
  mayDo,
  prepareAnns,
  prepareWebhooks,
  readAnns,
  sessionEventsIn,
} from "./doors-table.ts";
import type { TestServer } from "./open-server.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A route, tool or GraphQL field, and its operation. */
export interface Way {
  readonly label: string;
  readonly operation: OperationName;
  /** The fields that it requires. */
  readonly needs?: readonly string[];
  ask(server: TestServer, token: string | null, input: Fields): Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  /** The code of the refusal; null if it succeeded. */
  readonly code: string | null;
  readonly text: string;
}

/** Calls everything as these callers, and reports every violation. */
export async function findViolations(
  server: TestServer,
  callers: readonly CallerName[],
  ways: readonly Way[],
): Promise<string[]> {
  const calls = ways.flatMap((way) => rowsOf(way).map((row) => ({ way, row })));
  const tokens = await tokensOf(server);
  const bob = { owner: "bob", actor: "test", interface: "library", trace_id: null } as const;
  await server.service.call("create", { agent_name: "elsewhere", title: "Bob's" }, bob);
  const shared = new Map<DoorRow["after"], Things>(
    await Promise.all(
      ([undefined, "suspend", "delete"] as const).map(async (after) => {
        const things = await prepareAnns(server, after);
        return [after, after ? things : await prepareWebhooks(server, things)] as const;
      }),
    ),
  );
  const found: string[] = [];
  let before = await readAnns(server);
  for (const caller of callers) {
    const isOwn = caller === "owner" || caller === "admin";
    const check = async ({ way, row }: Call): Promise<void> => {
      const { operation, label } = way;
      const isChanged = isOwn && mayDo(caller, operation) && !isQuery(operation);
      const things = isChanged ? await prepareFor(server, way, row) : shared.get(row.after);
      const ask = (input: Fields): Promise<Reply> => way.ask(server, tokens[caller], input);
      const wrongs = await judge({ operation, row, caller, ask }, things ?? ABSENT);
      found.push(...wrongs.map((wrong) => `${label} by ${caller}: ${wrong}`));
    };
    // Things that another owner creates affect later requests, so these run in sequence.
    const makes = calls.filter(({ way }) => isOther(caller) && !isQuery(way.operation));
    await Promise.all(calls.filter((call) => !makes.includes(call)).map(check));
    for (const call of makes) await check(call);
    const after = await readAnns(server);
    // A recorder creates sessions of its own next to ann's.
    const isSame = caller === "recorder" ? isKept(before, after) : after === before;
    if (!isOwn && !isSame) found.push(`${caller} changed what is ann's`);
    before = after;
  }
  return found;
}

/** True if every earlier session is unchanged. */
function isKept(before: string, after: string): boolean {
  const [old, now] = [sessionEventsIn(before), sessionEventsIn(after)];
  const known = new Set(old.values());
  const kept = [...now].filter(([, id]) => known.has(id));
  return kept.length === old.size && kept.every(([hash]) => old.has(hash));
}

/** A caller that may change things gets new ones each time. */
async function prepareFor(server: TestServer, way: Way, row: DoorRow): Promise<Things> {
  const things = await prepareAnns(server, row.after);
  return way.operation.includes("webhook") ? prepareWebhooks(server, things) : things;
}

interface Asked {
  readonly operation: OperationName;
  readonly row: DoorRow;
  readonly caller: CallerName;
  ask(input: Fields): Promise<Reply>;
}

async function judge(asked: Asked, things: Things): Promise<string[]> {
  const { operation, row, caller, ask } = asked;
  if (isOther(caller)) {
    const byEntity = { ...things, session: things.entity };
    const wrongs = await judgeOther(asked, things, ABSENT);
    if (JSON.stringify(row.input(byEntity)) === JSON.stringify(row.input(things))) return wrongs;
    const absent = { ...ABSENT, session: ABSENT.entity };
    return [...wrongs, ...(await judgeOther(asked, byEntity, absent))];
  }
  const reply = await ask(row.input(things));
  const said = describeReply(reply);
  if (caller === "recorder") {
    // It did not create ann's things: it may record, but must not see anything of hers.
    const isRight = mayDo(caller, operation) || reply.code === "not_allowed";
    return isRight && !reply.text.includes(MARK) ? [] : [said];
  }
  if (CALLERS[caller] === null) {
    return reply.status === 401 && !reply.text.includes(MARK) ? [] : [said];
  }
  const expected = mayDo(caller, operation) ? (row.refused ?? null) : "not_allowed";
  if (reply.code !== expected) return [`not ${expected ?? "done"}: ${said}`];
  const isTold = expected === null && isQuery(operation) && !row.wordless;
  return isTold && !reply.text.includes(MARK) ? [`tells nothing: ${said}`] : [];
}

/** Ann's things must be answered like ones that never existed. */
async function judgeOther(
  { operation, row, caller, ask }: Asked,
  anns: Things,
  absent: Things,
): Promise<string[]> {
  const input = row.input(anns);
  const named = JSON.stringify(input);
  const reply = await ask(input);
  const wrongs: string[] = [];
  if (!mayDo(caller, operation) && reply.code !== "not_allowed") wrongs.push(describeReply(reply));
  const { owner, ...ids } = anns;
  const hidden = [MARK, ...Object.values(ids)].filter((text) => !named.includes(text));
  const leaked = hidden.filter((text) => reply.text.includes(text));
  if (leaked.length > 0) wrongs.push(`tells ${leaked}: ${describeReply(reply)}`);
  const never = row.input(absent);
  if (named === JSON.stringify(never)) return wrongs;
  const mine = plain(reply, anns);
  const nobodys = plain(await ask(never), absent);
  if (mine !== nobodys) wrongs.push(`not as if it were not there: ${mine} but ${nobodys}`);
  return wrongs;
}

function describeReply({ status, code, text }: Reply): string {
  return `${status} ${code} ${text.slice(0, 300)}`;
}

/** An answer without the parts that always differ. */
function plain({ status, code, text }: Reply, things: Things): string {
  const names = Object.entries(things).toSorted(([, a], [, b]) => b.length - a.length);
  const told = names.reduce(
    (rest, [key, value]) => rest.replaceAll(new RegExp(`\\b${value}\\b`, "g"), `<${key}>`),
    text,
  );
  return `${status} ${code} ${told
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-\d{8}-\d{6}-\w{8}/g, "<id>")
    .replaceAll(/belay_[\w-]+|whsec_[\w+/=]+|[\w-]{43}/g, "<secret>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")}`;
}

function isOther(caller: CallerName): boolean {
  return caller === "other" || caller === "otherAdmin";
}

export function isQuery(operation: OperationName): boolean {
  return OPERATIONS[operation].kind === "query";
}

async function tokensOf(server: TestServer): Promise<Readonly<Record<CallerName, string | null>>> {
  const { ann, bob } = server.tokens;
  const revoked = await server.makeToken("ann", "admin");
  await server.revoke(revoked.id);
  return {
    nobody: null,
    revoked: revoked.token,
    reader: ann.read,
    recorder: ann.record,
    other: bob.write,
    // Has nothing that the other one or an earlier one created.
    otherAdmin: (await server.makeToken(`carl-${revoked.id}`, "admin")).token,
    owner: ann.write,
    admin: ann.admin,
  };
}

interface Call {
  readonly way: Way;
  readonly row: DoorRow;
}

/** The rows whose inputs fit this way. */
export function rowsOf({ operation, needs = [] }: Way): DoorRow[] {
  return DOOR_TABLE[operation].filter(({ input }) => {
    const given = Object.keys(input(ABSENT));
    return needs.every((field) => given.includes(field));
  });
}

/** The ways that return something to an owner. */
export function returningData(ways: readonly Way[]): Way[] {
  return ways.filter(
    (way) => isQuery(way.operation) && rowsOf(way).some(({ wordless }) => !wordless),
  );
}
