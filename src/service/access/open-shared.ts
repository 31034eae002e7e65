import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import { ownerIn } from "../../contract/id-pattern.ts";
import { isRecord } from "../../contract/is-record.ts";
import { OPERATIONS, type OperationName } from "../../contract/operations.ts";
import { LEAST_ROLE, mayDo, reservedPart } from "../../core/shares.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { isEntityId } from "../read/find-session.ts";
import type { Caller } from "../service-context.ts";
import { recordRefused, recordRefusedLater, recordSeen } from "./access-log.ts";
import { grantedStore } from "./granted-store.ts";
import { type Grant, type GrantContext, listShared, readGrants } from "./read-grants.ts";
import { readableStore } from "./readable-store.ts";
import { storeFor } from "./recorder-store.ts";

/** The arguments of an operation: the visible store, its input, and the caller. */
interface Opened {
  readonly store: StreamStore;
  readonly input: unknown;
  readonly caller: Caller;
  /** Another person's session that a command changes. */
  readonly shared?: StoredStream;
}

/**
 * The one check of access to other people's sessions, for every interface. A query sees shared sessions among the
 * caller's own. A command on another's session runs in the name of its owner, sees only that session, and is recorded
 * as the caller's. A session that is not shared looks as if it did not exist.
 *
 * Most commands name a session in a way that only the caller's own can have; they are answered without a promise.
 */
export function openShared(
  context: GrantContext,
  name: OperationName,
  input: unknown,
  caller: Caller,
): Opened | Promise<Opened> {
  const { store } = context;
  // A recorder can only access its own sessions.
  if (caller.scope === "record") return { store: storeFor(store, caller), input, caller };
  if (!isRecord(input)) return { store, input, caller };
  const named = input[REFERRED[name] ?? "id"];
  const ref = typeof named === "string" ? readRef(named) : null;
  if (ref || namesApproval(name, input)) return openFound(context, name, input, caller, ref);
  return { store: ownStore(context, name, caller), input, caller };
}

/** The store in which an operation finds the caller's own sessions. */
function ownStore(context: GrantContext, name: OperationName, caller: Caller): StreamStore {
  const isQuery = OPERATIONS[name].kind === "query" && LEAST_ROLE[name] !== null;
  return isQuery ? readableStore(context, caller, { records: !LISTS.has(name) }) : context.store;
}

/** Operations that show sessions only as lines of a list, or as numbers. */
const LISTS: ReadonlySet<OperationName> = new Set(["list", "count"]);

async function openFound(
  context: GrantContext,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  ref: SessionRefParts | null,
): Promise<Opened> {
  const field = REFERRED[name] ?? "id";
  const grant = namesApproval(name, input)
    ? await findAsking(context, input.approval_id, caller)
    : ref && (await findShared(context, ref, caller, name));
  if (!grant) {
    // Under the caller's own name only their own sessions are found.
    if (ref?.owner === caller.owner) {
      return { store: context.store, input: { ...input, [field]: ref.id }, caller };
    }
    return { store: ownStore(context, name, caller), input, caller };
  }
  const { id, key, owner } = grant.stream;
  const refused = refuseRole(grant, name, input);
  if (refused) {
    await recordRefused(context, caller, name, grant.stream);
    throw new BelayError(refused);
  }
  await recordSeen(context, caller.owner, [grant.stream]);
  const renamed = { ...input, [field]: field === "entity_id" ? `${owner}/${key}` : id };
  if (name === "fork") return { store: context.store, input: renamed, caller };
  if (OPERATIONS[name].kind === "query") {
    return { store: readableStore(context, caller), input: renamed, caller };
  }
  return {
    store: grantedStore(context, caller.owner, grant, name),
    input: name === "decide_approval" ? input : renamed,
    caller: { ...caller, owner, actor: `person:${caller.owner}`, person: caller.owner },
    shared: grant.stream,
  };
}

/** True if a request names no session but an approval. */
function namesApproval(name: OperationName, input: Readonly<Record<string, unknown>>): boolean {
  if (name === "list_approvals") return input.approval_id !== undefined && input.id === undefined;
  return name === "decide_approval";
}

/** Another person's session to fork; null if it is the caller's own or may not be forked. */
export async function findForkable(
  context: GrantContext,
  id: string,
  caller: Caller,
): Promise<Grant | null> {
  const grant = isEntityId(id)
    ? await findShared(context, { owner: null, id }, caller, "fork")
    : null;
  return grant && mayDo(grant.role, "fork") ? grant : null;
}

/** The field in which an operation names a session, if it is not `id`. */
const REFERRED: Partial<Record<OperationName, string>> = {
  history: "session_id",
  timeline: "entity_id",
  spans: "entity_id",
};

interface SessionRefParts {
  /** Null if only the entity id identifies the owner. */
  readonly owner: string | null;
  readonly id: string;
}

/** Null for a reference that can only be the caller's own. */
function readRef(named: string): SessionRefParts | null {
  const owner = ownerIn(named);
  if (owner !== null) return { owner, id: named.slice(owner.length + 1) };
  return isEntityId(named) ? { owner: null, id: named } : null;
}

async function findShared(
  context: GrantContext,
  { owner, id }: SessionRefParts,
  caller: Caller,
  name: OperationName,
): Promise<Grant | null> {
  const { store } = context;
  if (owner === caller.owner) return null;
  const found =
    (isEntityId(id) ? await loadStream(store, { id }) : undefined) ??
    (owner === null ? undefined : await loadStream(store, { kind: "session", owner, key: id }));
  const stream = found && isOthers(found, owner, caller) ? found : null;
  // A name that does not exist costs the same, so that the time of the answer does not tell which names exist.
  const entity_id = stream?.id ?? NOBODYS;
  const grant = (await readGrants(context, caller.owner, [entity_id])).get(entity_id);
  if (grant) return grant;
  if (stream) recordRefusedLater(context, caller, name, stream);
  return owner === null || id === "" ? null : findPrefixed(context, owner, id, caller);
}

/** The one shared session of this owner whose id starts like this; null if there are none or several. */
async function findPrefixed(
  context: GrantContext,
  owner: string,
  prefix: string,
  caller: Caller,
): Promise<Grant | null> {
  const ids = await listShared(context.store, caller.owner);
  const grants = [...(await readGrants(context, caller.owner, ids)).values()];
  const [only, second] = grants.filter(
    ({ stream }) => stream.owner === owner && stream.key.startsWith(prefix),
  );
  return only && !second ? only : null;
}

/** The entity id of no session. */
const NOBODYS = "00000000-0000-7000-8000-000000000000";

function isOthers({ kind, owner }: StoredStream, named: string | null, caller: Caller): boolean {
  return kind === "session" && owner !== caller.owner && (named === null || owner === named);
}

/** Another person's session with this question; null if it is the caller's own, or not shared. */
async function findAsking(
  context: GrantContext,
  approval_id: unknown,
  { owner }: Caller,
): Promise<Grant | null> {
  const { store } = context;
  if (typeof approval_id !== "string") return null;
  const ids = await listShared(store, owner);
  if (ids.length === 0) return null;
  const own = await store.findByName(owner, `approval:${approval_id}`, { limit: 1 });
  if (own.length > 0) return null;
  const grants = await readGrants(context, owner, ids);
  const owners = new Set([...grants.values()].map(({ stream }) => stream.owner));
  for (const asking of owners) {
    // An answered question has its name too, so that the answer can be repeated.
    const [place] = await store.findByName(asking, `approval:${approval_id}`, { limit: 1 });
    const grant = place && grants.get(place.id);
    if (grant) return grant;
  }
  return null;
}

function refuseRole(
  { role, stream }: Grant,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): Refusal | null {
  const reserved = mayDo(role, name) ? reservedPart(name, input) : "do this";
  if (reserved === null) return null;
  const needed = mayDo(role, name) ? null : LEAST_ROLE[name];
  const session = `${stream.owner}/${stream.key}`;
  const rule = needed ? `this needs the role ${needed}` : `only ${stream.owner} may ${reserved}`;
  const message = `You have the role ${role} in ${session}; ${rule}.`;
  return refuse("not_allowed", message, { session_id: session, role, needed });
}
