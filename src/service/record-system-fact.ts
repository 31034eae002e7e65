import { createHash } from "node:crypto";
import { BelayError, type Refusal } from "../contract/errors.ts";
import type { SystemFact } from "../contract/events.ts";
import type { SystemHead } from "../contract/head.ts";
import { isSystemHead } from "../core/session/known-events.ts";
import { evolveSystem, listSystem, newSystemHead } from "../core/system.ts";
import { loadStream } from "../store/read-streams.ts";
import type { Append, Lease, StoredStream, StreamStore } from "../store/stream-store.ts";
import { originOf } from "./change-session.ts";
import { idempotencyOf } from "./idempotency.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** The stream with the history of an owner's store, or of one of its workspaces. */
export function systemStream(owner: string, cwd?: string) {
  return systemPart(owner, cwd === undefined ? "system" : `workspace:${digest(cwd)}`);
}

/** The stream with the events of this store's servers, for all owners. */
export function serverStream(owner: string) {
  return systemPart(owner, "server");
}

/** The stream with the expiration setting of an owner or, with null, of everyone. */
export function expirationStream(owner: string | null) {
  return owner === null ? EVERYONES_EXPIRATION : systemPart(owner, "expiration");
}

/** A key that no owner's own stream has, because an owner may be called "belay". */
const EVERYONES_EXPIRATION = systemPart("belay", "expiration:everyone");

/** The stream of a person, who is also an owner. */
export function personStream(name: string) {
  return systemPart(name, "person");
}

/** The stream with the sessions that are shared with every person. */
export function everyoneStream() {
  return systemPart("local", "everyone");
}

/** The stream that changes with every assignment of an account, so that two of them cannot miss each other. */
export function identitiesStream() {
  return systemPart("local", "identities");
}

/** The log of a chore that one server at a time does for all. */
export function choreStream(owner: string, chore: string) {
  return systemPart(owner, `chore:${chore}`);
}

function systemPart(owner: string, key: string) {
  return { kind: "system", owner, key } as const;
}

/** The stream that records who saw a session and who was refused. */
export function seenKey(entity_id: string): string {
  return `seen:${entity_id}`;
}

/** The prefix of the keys of all links of a session. */
export function linkPrefix(entity_id: string): string {
  return `link:${entity_id}:`;
}

/** Keyed by name, because an owner accepts each name once. */
export function acceptedKey(name: string): string {
  return `webhook-in:${digest(name)}`;
}

export function acceptedStream(owner: string, name: string) {
  return systemPart(owner, acceptedKey(name));
}

/** Each token, link and webhook has a stream of its own, found by its id. */
function streamOf(owner: string, fact: SystemFact) {
  if ("person" in fact.data) return personStream(fact.data.person);
  if ("by" in fact.data) {
    const { entity_id } = fact.data;
    return systemPart(owner, entity_id === null ? "refused" : seenKey(entity_id));
  }
  if ("link_id" in fact.data) {
    return systemPart(owner, `${linkPrefix(fact.data.entity_id)}${fact.data.link_id}`);
  }
  if ("token_id" in fact.data) return systemPart(owner, `token:${fact.data.token_id}`);
  if ("webhook_id" in fact.data) {
    const name = "name" in fact.data ? fact.data.name : undefined;
    const own = `webhook:${fact.data.webhook_id}`;
    return systemPart(owner, name === undefined ? own : acceptedKey(name));
  }
  if (fact.type === "server.registered" && fact.data.chore !== undefined) {
    return choreStream(owner, fact.data.chore);
  }
  if (fact.type === "expiration.used") return expirationStream(null);
  if (fact.type === "expiration.set") return expirationStream(fact.data.everyone ? null : owner);
  if ("cwd" in fact.data) return systemStream(owner, fact.data.cwd);
  return fact.type === "session.purged" ? systemStream(owner) : serverStream(owner);
}

function idIn({ data }: SystemFact): string | undefined {
  if ("token_id" in data) return data.token_id;
  if ("link_id" in data) return data.link_id;
  return "webhook_id" in data ? data.webhook_id : undefined;
}

export async function loadSystemHead(
  store: StreamStore,
  owner: string,
  cwd?: string,
): Promise<SystemHead | null> {
  const stream = await loadStream(store, systemStream(owner, cwd));
  return isSystemHead(stream?.head) ? stream.head : null;
}

/** Appends to such a stream, at most once per key. Throws the refusal that `refuses` returns for the current stream. */
export async function recordSystemFact(
  context: Pick<ServiceContext, "store" | "now" | "newId">,
  caller: Caller,
  fact: SystemFact,
  key: string,
  refuses: (head: SystemHead, lease: Lease | null) => Refusal | null = () => null,
): Promise<void> {
  const { owner } = caller;
  const system = streamOf(owner, fact);
  const retry = { operation: fact.type, key, request: key };
  const outcome = await context.store.transact({
    streams: [system],
    idempotency: idempotencyOf(caller, retry),
    decide: ({ streams: [stream] }) => {
      const empty = newSystemHead(idIn(fact) ?? "", system.owner);
      const head = isSystemHead(stream?.head) ? stream.head : empty;
      const refused = refuses(head, stream?.lease ?? null);
      if (refused) return { refused };
      return { appends: [appendFact(context, caller, { ref: system, stream }, fact)] };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
}

interface SystemPlace {
  readonly ref: ReturnType<typeof systemPart>;
  /** Undefined if it does not exist yet. */
  readonly stream: StoredStream | undefined;
}

/** One more event of such a stream, for a decision. */
export function appendFact(
  context: Pick<ServiceContext, "now" | "newId">,
  caller: Caller,
  { ref, stream }: SystemPlace,
  fact: SystemFact,
): Append {
  const id = stream?.id ?? idIn(fact) ?? context.newId();
  const seq = (stream?.seq ?? 0) + 1;
  const event = { ...fact, seq, at: context.now(), ...originOf(caller) };
  const before = isSystemHead(stream?.head) ? stream.head : newSystemHead(id, ref.owner);
  const head = evolveSystem(before, event);
  const kept = { events: [event], head, rows: [], names: [], listing: listSystem(head) };
  return { id, ...(stream ? {} : { create: ref }), ...kept };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
