import type { AuditLine } from "../../contract/past.ts";
import { listedSince } from "../../core/session/list-session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { listStreams } from "../../store/read-streams.ts";
import type { ListQuery, StoredEvent, StoredStream } from "../../store/stream-store.ts";
import { expectServerAdmin } from "../access/server-admin.ts";
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
}

type Listed = Pick<ListQuery, "kind"> & { readonly prefix?: string };

/** Streams of the store itself, such as tokens and webhooks, are only for its admins. */
const WORK: readonly Listed[] = [
  { kind: "session" },
  { kind: "task" },
  { kind: "system", prefix: seenKey("") },
  { kind: "system", prefix: "link:" },
];
const ALL: readonly Listed[] = [{ kind: "session" }, { kind: "task" }, { kind: "system" }];

/** The streams of an owner, or of everyone for a server admin who asks for it. */
export async function auditedStreams(
  context: ServiceContext,
  caller: Caller,
  { id, everyone, since }: AuditWanted,
): Promise<AuditedStream[]> {
  if (everyone) expectServerAdmin(caller);
  const { owner } = caller;
  if (id !== undefined) {
    const { stream } = await findSession(context, owner, id);
    const about = [seenKey(stream.id), linkPrefix(stream.id)];
    const lists = about.map((prefix) => listed(context, { kind: "system", prefix }, owner, 0));
    return [stream, ...(await Promise.all(lists)).flat()].map(whole);
  }
  const streams: StoredStream[] = [];
  for (const one of everyone || hasScope(caller.scope, "admin") ? ALL : WORK) {
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

export function toAuditLine(
  event: StoredEvent,
  { stream: { kind, key, owner }, isBodiless }: AuditedStream,
): AuditLine {
  const line = { ...viewEvent(event), kind, id: key, owner };
  return isBodiless ? { ...line, data: {} } : line;
}
