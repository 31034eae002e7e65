import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Share } from "../../contract/operations/share-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { refuseDisabled } from "../../core/people.ts";
import { isRefusal } from "../../core/session/decision.ts";
import { isSessionHead, isSystemHead } from "../../core/session/known-events.ts";
import { runCommands } from "../../core/session/run-commands.ts";
import { EVERYONE, readShare, SHARE_ROW, SHARED_ROW } from "../../core/shares.ts";
import { evolveSystem, listSystem, newSystemHead } from "../../core/system.ts";
import { iso } from "../../core/view/view-session.ts";
import type { StoredPatch, StoredStream } from "../../store/stream-store.ts";
import { expectFuture } from "../access/expect-future.ts";
import { listShared, readGrants } from "../access/read-grants.ts";
import { isServerAdmin } from "../access/server-admin.ts";
import { originOf } from "../change-session.ts";
import { findSession } from "../read/find-session.ts";
import { everyoneStream, personStream } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

type Shares = Output<"shares">;

/** Operations that share sessions with other people. */
export const shareOperations = {
  async share(context: ServiceContext, input: Parsed<"share">, caller: Caller): Promise<Shares> {
    const { role } = input;
    const person = readPerson(input, caller);
    const until = input.until === undefined ? null : expectFuture(context, input.until);
    return change(context, caller, input.id, { type: "share", person, role, until });
  },

  async unshare(
    context: ServiceContext,
    input: Parsed<"unshare">,
    caller: Caller,
  ): Promise<Shares> {
    const person = readPerson(input, caller);
    return change(context, caller, input.id, { type: "unshare", person });
  },

  async shares(context: ServiceContext, input: Parsed<"shares">, caller: Caller): Promise<Shares> {
    const { stream } = await findSession(context, caller.owner, input.id);
    return readShares(context, stream);
  },

  async shared(
    context: ServiceContext,
    _: Parsed<"shared">,
    { owner: person, scope }: Caller,
  ): Promise<Output<"shared">> {
    if (scope === "record") return { sessions: [] };
    const grants = await readGrants(context, person, await listShared(context.store, person));
    const sessions = [...grants.values()].map(({ stream, head, role }) => {
      const { id: entity_id, owner, key } = stream;
      const { title, agent_name, status } = head;
      return { session_id: `${owner}/${key}`, entity_id, owner, title, agent_name, status, role };
    });
    return { sessions };
  },
};

/** Null means everyone. */
function readPerson(
  input: { readonly with?: string | undefined; readonly everyone: boolean },
  { owner }: Caller,
): string | null {
  if ((input.with === undefined) !== input.everyone) {
    const message = 'Give either "with" or "everyone".';
    throw new BelayError(refuse("invalid_input", message, { field: "with" }));
  }
  if (input.with !== owner) return input.with ?? null;
  const message = "with: you cannot share a session with yourself. Choose another person.";
  throw new BelayError(refuse("invalid_input", message, { field: "with" }));
}

/** The session's own log decides; the index for the other person is written in the same transaction. */
async function change(
  context: ServiceContext,
  caller: Caller,
  id: string,
  command: SessionCommand<"share"> | SessionCommand<"unshare">,
): Promise<Shares> {
  const { stream } = await findSession(context, caller.owner, id);
  const { person } = command;
  const index = person === null ? everyoneStream() : personStream(person);
  const now = context.now();
  const origin = { at: now, ...originOf(caller) };
  const outcome = await context.store.transact({
    streams: [{ id: stream.id }, index],
    reads: [
      {
        stream: 1,
        query: { kind: SHARED_ROW, key: stream.id, before: Number.MAX_SAFE_INTEGER, limit: 1 },
      },
    ],
    decide: ({ streams: [session, listed], rows: [known = []] }) => {
      const isEnd = command.type === "unshare" && (known.length > 0 || isServerAdmin(caller));
      const refused = person === null ? null : refusePerson(person, listed, isEnd, caller);
      if (refused) return { refused };
      const head = isSessionHead(session?.head) ? session.head : null;
      const from = { head, seq: session?.seq ?? 0 };
      const applied = runCommands([command], from, { now, lease: null, epoch: null }, origin);
      if (!applied) return { refused: refuse("internal", "The share changed nothing.") };
      if (isRefusal(applied)) return { refused: applied };
      const shared = { id: stream.id, ...applied };
      // Listed once, however often it is shared: repetitions must not hide what others share.
      if (command.type === "unshare" || isListed(known)) return { appends: [shared] };
      return { appends: [shared, indexShare(context, caller, index, listed, stream.id, command)] };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  return readShares(context, stream);
}

/**
 * Only admins learn that somebody is disabled; to others they are as unknown as in the list of people. A share that such a
 * person got before can be removed.
 */
function refusePerson(
  name: string,
  listed: StoredStream | undefined,
  isEnd: boolean,
  caller: Caller,
): Refusal | null {
  const person = isSystemHead(listed?.head) ? listed.head.person : undefined;
  if (person && (isEnd || person.disabled_at === null)) return null;
  if (person && isServerAdmin(caller)) return refuseDisabled(name);
  return refuse("person_not_found", `Person not found: ${name}.`, { name });
}

/** Older versions also list that a session is no longer shared. */
function isListed(rows: readonly StoredPatch[]): boolean {
  const data = rows.at(-1)?.data;
  return isRecord(data) && data.role !== null;
}

function indexShare(
  context: ServiceContext,
  caller: Caller,
  index: ReturnType<typeof personStream>,
  listed: StoredStream | undefined,
  entity_id: string,
  { person, role }: SessionCommand<"share">,
) {
  const id = listed?.id ?? context.newId();
  const before = isSystemHead(listed?.head) ? listed.head : newSystemHead(id, index.owner);
  const seq = (listed?.seq ?? 0) + 1;
  const data = { person: person ?? EVERYONE, entity_id, role };
  const by = { ...originOf(caller), actor: `person:${caller.owner}` };
  const event = { type: "share.received", data, seq, at: context.now(), ...by } as const;
  const head = evolveSystem(before, event);
  const shown = { role, owner: caller.owner };
  const row = { kind: SHARED_ROW, place: seq, nth: 0, seq, key: entity_id, data: shown };
  return {
    id,
    ...(listed ? {} : { create: index }),
    ...{ events: [event], head, rows: [row], names: [], listing: listSystem(head) },
  };
}

async function readShares({ store }: ServiceContext, stream: StoredStream): Promise<Shares> {
  const [part] = await store.read([{ ref: { id: stream.id }, rows: [{ kind: SHARE_ROW }] }]);
  const newest = new Map<string, Share>();
  for (const { key, data, writer } of part?.rows[0] ?? []) {
    if (key === null || writer !== stream.id || data instanceof Uint8Array) continue;
    const share = readShare(data);
    const person = key === EVERYONE ? null : key;
    const until = share?.until ?? null;
    newest.delete(key);
    if (share?.role)
      newest.set(key, { person, role: share.role, until: until === null ? null : iso(until) });
  }
  return { session_id: stream.key, shares: [...newest.values()] };
}
