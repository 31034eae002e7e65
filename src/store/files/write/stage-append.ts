import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import type { CheckedAppend } from "../../append-rules.ts";
import { hashEvent, idemOf, metaOf, NO_HASH } from "../../log/hash-event.ts";
import { isHeadDue } from "../../log/is-head-due.ts";
import type { Append, Idempotency } from "../../stream-store.ts";
import type { AppendEntry } from "../disk/commit-entry.ts";
import { writeEventLine } from "../disk/event-line.ts";
import { damaged } from "../disk/files-error.ts";
import { type FilesFolder, type StreamFolder, streamFolder } from "../disk/files-folder.ts";
import { readRange } from "../disk/line-file.ts";
import { type AppendState, writeIdentity, writeInherited, writeState } from "../disk/state-line.ts";
import { linkBlobs } from "../files-blobs.ts";
import type { IndexedStream } from "../read/stream-index.ts";
import type { WriteBatch } from "./write-batch.ts";

/** An append with everything that it writes. */
export interface StagedAppend {
  readonly stream: IndexedStream;
  readonly append: AppendState;
  readonly entry: AppendEntry;
  readonly isNew: boolean;
  readonly log: string;
  readonly state: string;
  /** The stream that it forks. */
  readonly base: { readonly id: string; readonly seq: number } | null;
  readonly onCreate: () => void;
}

/** The state that an append continues. */
interface Ground {
  readonly stream: Omit<IndexedStream, "listing" | "last">;
  /** The text before the append in the files of a new stream. */
  readonly log: string;
  readonly state: string;
  readonly onCreate: () => void;
}

export function stageAppend(
  files: FilesFolder,
  batch: WriteBatch,
  { append, bodies, patches, head }: CheckedAppend,
  idempotency: Idempotency | undefined,
): StagedAppend {
  const { id, create, events, rows, names, listing } = append;
  const ground = create ? beginStream(files, batch, id, create) : continueStream(files, batch, id);
  const before = ground.stream;
  let { hash } = before;
  let log = "";
  for (const [index, event] of events.entries()) {
    const meta = metaOf(event, index === 0 ? idempotency : undefined, events.length);
    const body = bodies[index] ?? "null";
    hash = hashEvent(hash, id, meta, body);
    log += writeEventLine({ meta, body, hash, writer: id });
  }
  const from = before.seq + 1;
  const to = before.seq + events.length;
  const idem = idempotency && ([idemOf(idempotency), idempotency.digest, from, to] as const);
  const kept: AppendState = {
    seq: to,
    due: isHeadDue(before.seq, to),
    listing,
    names,
    idem: idem ?? null,
    rows: patches.slice(0, rows.length),
    head,
  };
  const state = writeState(kept);
  const logEnd = before.log + Buffer.byteLength(log);
  const last = before.state + Buffer.byteLength(ground.state);
  const stateEnd = last + Buffer.byteLength(state);
  const entry: AppendEntry = {
    id,
    kind: before.kind,
    from,
    to,
    log: [before.log, logEnd],
    state: [before.state, stateEnd],
    before: before.hash,
    hash,
  };
  return {
    stream: { ...before, seq: to, hash, log: logEnd, state: stateEnd, last, listing },
    append: kept,
    entry,
    isNew: create !== undefined,
    log: ground.log + log,
    state: ground.state + state,
    base: create?.base ?? null,
    onCreate: ground.onCreate,
  };
}

function continueStream(files: FilesFolder, batch: WriteBatch, id: string): Ground {
  const stream = batch.index.streams.get(id);
  if (!stream) throw damaged(id, "it was loaded and is not there");
  if (!batch.isPending(id)) expectCommitted(streamFolder(files, stream.kind, id), stream);
  return { stream, log: "", state: "", onCreate: () => {} };
}

/** Throws `damaged` unless the files of a stream have what was committed: an older version of one is shorter. */
function expectCommitted(folder: StreamFolder, { id, log, state, hash }: IndexedStream): void {
  for (const [path, least] of [[folder.log, log] as const, [folder.state, state] as const]) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < least) throw damaged(id, `${path} ends at byte ${size}, not at ${least}`);
  }
  const end = `"hash":"${hash}"}\n`;
  if (log < end.length) return;
  const found = readRange(folder.log, log - end.length, log, id).toString("latin1");
  if (found !== end) throw damaged(id, `${folder.log} does not end as it was committed`);
}

/** A fork starts with copies of the events, rows and heads that it inherits, so each folder can be read alone. */
function beginStream(
  files: FilesFolder,
  batch: WriteBatch,
  id: string,
  { kind, owner, key, base }: NonNullable<Append["create"]>,
): Ground {
  const parent = base && batch.index.streams.get(base.id);
  const salt = parent?.salt ?? randomBytes(16).toString("hex");
  const identity = writeIdentity({ id, kind, owner, key, base: base ?? null, salt });
  if (!base || !parent) {
    const empty = { id, kind, owner, key, salt, seq: 0, hash: NO_HASH, log: 0, state: 0 };
    return { stream: empty, log: "", state: identity, onCreate: () => {} };
  }
  const { seq } = base;
  const loaded = batch.load(parent);
  const shared = batch.index.blobs.sharedBy(base);
  const from = streamFolder(files, parent.kind, parent.id);
  const log = loaded.placeAfter(seq);
  const inherited = {
    rows: loaded.stated.filter((row) => row.seq <= seq),
    heads: loaded.heads.filter((stored) => stored.seq <= seq),
  };
  return {
    stream: { id, kind, owner, key, salt, seq, hash: loaded.hashOf(seq), log, state: 0 },
    log: readRange(from.log, 0, log, parent.id).toString("utf8"),
    state: identity + writeInherited(inherited),
    onCreate: () => linkBlobs(from, parent, streamFolder(files, kind, id), shared),
  };
}
