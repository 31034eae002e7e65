import type { AuditLine } from "../../contract/past.ts";
import type { AuditKind } from "../../contract/vocabulary.ts";
import { listedSince } from "../../core/session/list-session.ts";
import { auditKind, isByPerson } from "../../core/view/audit-kind.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { listStreams } from "../../store/read-streams.ts";
import type { ListQuery, StoredEvent, StoredStream } from "../../store/stream-store.ts";
import { refusalsRecorded } from "../access/access-log.ts";
import { expectServerAdmin, maySeeEveryone } from "../access/server-admin.ts";
import { hasScope } from "../expect-scope.ts";
import { findSession } from "../read/find-session.ts";
import { linkPrefix, seenKey } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** A stream that a caller may audit. */
export interface AuditedStream {
  readonly stream: StoredStream;
  /** True if the bodies of its events belong to another person and are omitted. */
  readonly isBodiless: boolean;
}

export interface AuditWanted {
  readonly id?: string | undefined;
  readonly everyone: boolean;
  readonly since: number;
  readonly person?: string | undefined;
  readonly what?: AuditKind | undefined;
}

type Listed = Pick<ListQuery, "kind"> & { readonly prefix?: string };

const CONTENTS: readonly Listed[] = [{ kind: "session" }, { kind: "task" }];
/** The only streams with entries about what was seen or refused. */
const ACCESS: readonly Listed[] = [
  { kind: "system", prefix: seenKey("") },
  { kind: "system", prefix: "link:" },
];
/** Streams of the store itself, such as tokens and webhooks, are only for its admins. */
const SYSTEM: readonly Listed[] = [{ kind: "system" }];

/** The streams of an owner, or of everyone for a server admin who asks for it. */
export async function auditedStreams(
  context: ServiceContext,
  caller: Caller,
  { id, everyone, since, what }: AuditWanted,
): Promise<AuditedStream[]> {
  if (everyone) expectServerAdmin(caller, maySeeEveryone);
  await refusalsRecorded(context.store);
  const { owner } = caller;
  const hasContents = what === undefined || what === "did";
  if (id !== undefined) {
    const { stream } = await findSession(context, owner, id);
    const about = [seenKey(stream.id), linkPrefix(stream.id)];
    const lists = about.map((prefix) => listed(context, { kind: "system", prefix }, owner, 0));
    const found = (await Promise.all(lists)).flat();
    return (hasContents ? [stream, ...found] : found).map(whole);
  }
  const system = everyone || hasScope(caller.scope, "admin") ? SYSTEM : ACCESS;
  const streams: StoredStream[] = [];
  for (const one of hasContents ? [...CONTENTS, ...system] : system) {
    streams.push(...(await listed(context, one, everyone ? null : owner, since)));
  }
  return streams.map((stream) => ({
    stream,
    isBodiless: stream.owner !== owner && stream.kind !== "system",
  }));
}

function whole(stream: StoredStream): AuditedStream {
  return { stream, isBodiless: false };
}

function listed(
  { store }: ServiceContext,
  { kind, prefix }: Listed,
  owner: string | null,
  since: number,
): Promise<StoredStream[]> {
  const activity = { after: listedSince(since) };
  const filter = { activity, ...(prefix !== undefined && { key_prefix: prefix }) };
  return listStreams(store, { kind, owner, filter });
}

/** The entry of an event; null if it is not wanted. Inherited events are entries of the session that wrote them. */
export function toAuditLine(
  event: StoredEvent,
  { stream: { id, kind, key, owner }, isBodiless }: AuditedStream,
  { since, person, what }: AuditWanted,
): AuditLine | null {
  if (event.writer !== id || event.at < since) return null;
  if (what !== undefined && auditKind(event.type) !== what) return null;
  const line = { ...viewEvent(event), kind, id: key, owner };
  if (person !== undefined && !isByPerson(line, person)) return null;
  return isBodiless ? { ...line, data: {} } : line;
}
