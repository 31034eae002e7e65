import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { UNLISTED } from "../../contract/stream.ts";
import { type Content, toContent } from "../content.ts";
import type { CopiedStream, Copyable, CopySource, RawEvent } from "../log/copy-source.ts";
import { loadStream } from "../read-streams.ts";
import type { Append, FeedEvent, Idempotency, NewPatch, StreamStore } from "../stream-store.ts";
import { compareFeeds } from "./compare-feeds.ts";
import { copyBlobs } from "./copy-blobs.ts";

type CopyTarget = StreamStore & Pick<Copyable, "adopt">;

interface CopyReport {
  /** The events in both stores. */
  readonly events: number;
  /** The number of events that the target already had. */
  readonly skipped: number;
  readonly streams: number;
}

/**
 * Copies everything into another store by the transactions that wrote it, so that every event gets the same hash. A copy
 * that was interrupted is continued: the target may have a part of the source, and nothing else. At the end all hashes
 * are compared.
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<CopyReport> {
  // A write first: it completes a commit that a killed process left, which readers do not see yet.
  await target.adopt({ tombstones: [], epochs: new Map() });
  const copy = new Copy(source, target, await source.readStreams());
  const total = await source.countEvents();
  const tombstones = await source.readTombstones();
  await copy.removePurged(tombstones);
  const skipped = await copy.compare(hasOthers);
  let done = 0;
  for await (const event of source.readEvents()) {
    done += 1;
    if (done > skipped) await copy.add(event);
    if (done % 100 === 0) onProgress(done, total);
  }
  await copy.finish();
  await copy.removePurged(tombstones, true);
  const streams = [...copy.streams.values()];
  const epochs = new Map(streams.map(({ id, epoch }) => [id, epoch]));
  await target.adopt({ tombstones, epochs });
  for (const stream of streams) {
    await copyBlobs(source, target, stream.id);
    await compareHead(source, target, stream);
  }
  const events = await copy.compare(isOther);
  if (events !== total) throw differs(events, total);
  onProgress(total, total);
  return { events, skipped, streams: streams.length };
}

/** The stream that a run of events goes to, and the stream through which the source shows it. */
interface RunPlace {
  readonly stream: Pick<CopiedStream, "id" | "kind" | "owner" | "key" | "listing">;
  readonly via: string;
  /** The event before the stream's first own one. */
  readonly base: { readonly id: string; readonly seq: number } | null;
}

class Copy {
  readonly #source: CopySource;
  readonly #target: CopyTarget;
  readonly streams: ReadonlyMap<string, CopiedStream>;
  /** Purged streams that forks continue, and the number of forks that are not yet copied. */
  readonly #needed = new Map<string, number>();
  readonly #cuts = new Map<string, ReadonlySet<number>>();
  #run: RawEvent[] = [];

  constructor(source: CopySource, target: CopyTarget, streams: ReadonlyMap<string, CopiedStream>) {
    this.#source = source;
    this.#target = target;
    this.streams = streams;
    for (const { writers } of streams.values()) {
      for (const { id } of writers) this.#need(id, 1);
    }
  }

  /** The number of events at the start of the feed that both stores have. Throws if the target has others. */
  compare(toError: (event: FeedEvent) => Error): Promise<number> {
    return compareFeeds(this.#source, this.#target, (id) => this.#needed.has(id), toError);
  }

  /** Removes streams that were purged since an earlier copy; at the end, those that forks needed too. */
  async removePurged(
    tombstones: readonly { readonly id: string; readonly at: number }[],
    isEnd = false,
  ): Promise<void> {
    for (const { id, at } of tombstones) {
      if (this.streams.has(id) || (!isEnd && this.#needed.has(id))) continue;
      if (await loadStream(this.#target, { id })) await this.#target.purge(id, at);
    }
  }

  async add(event: RawEvent): Promise<void> {
    const last = this.#run.at(-1);
    if (last && (last.stream !== event.stream || (await this.#endsAt(event.stream, event)))) {
      await this.finish();
    }
    this.#run.push(event);
  }

  /** Writes the events that were added. */
  async finish(): Promise<void> {
    const run = this.#run;
    this.#run = [];
    const stream = this.streams.get(run[0]?.stream ?? "");
    if (!stream) return;
    const last = stream.writers.at(-1);
    const base = last ? { id: last.id, seq: last.upto } : null;
    const isFirst = run[0]?.meta.seq === (last?.upto ?? 0) + 1;
    if (isFirst) await this.#writeAncestors(stream);
    await this.#write({ stream, via: stream.id, base }, run, isFirst);
    const to = run.at(-1)?.meta.seq ?? 0;
    await copyBlobs(this.#source, this.#target, stream.id, isFirst ? 0 : to, to);
    if (isFirst) for (const { id } of stream.writers) this.#need(id, -1);
  }

  /** Writes the purged streams that a fork continues, as far as the fork has their events. */
  async #writeAncestors(fork: CopiedStream): Promise<void> {
    let base: RunPlace["base"] = null;
    for (const { id, upto } of fork.writers) {
      if (!this.streams.has(id)) await this.#writeAncestor(fork, id, base, upto);
      base = { id, seq: upto };
    }
  }

  async #writeAncestor(fork: CopiedStream, id: string, base: RunPlace["base"], upto: number) {
    const known = (await loadStream(this.#target, { id }))?.seq ?? 0;
    const first = (base?.seq ?? 0) + 1;
    const from = Math.max(known + 1, first);
    if (from > upto) return;
    const stream = { id, kind: "session", owner: "", key: id, listing: UNLISTED } as const;
    let run: RawEvent[] = [];
    for (const event of await this.#source.readInherited(fork.id, from, upto)) {
      if (run.length > 0 && (await this.#endsAt(fork.id, event, run))) {
        await this.#write({ stream, via: fork.id, base }, run, run[0]?.meta.seq === first);
        run = [];
      }
      run.push(event);
    }
    await this.#write({ stream, via: fork.id, base }, run, run[0]?.meta.seq === first);
  }

  /** True if the run ends before this event: something was stored there, or a request with a key starts or ends. */
  async #endsAt(id: string, next: RawEvent, run: readonly RawEvent[] = this.#run) {
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last) return false;
    if (next.meta.idem !== null || first.meta.span === run.length) return true;
    const cuts = this.#cuts.get(id) ?? (await this.#source.readCuts(id));
    if (this.#cuts.size > MOST_CUTS) this.#cuts.clear();
    this.#cuts.set(id, cuts);
    return cuts.has(last.meta.seq);
  }

  async #write({ stream, via, base }: RunPlace, run: readonly RawEvent[], isFirst: boolean) {
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last) return;
    const { id, kind, owner, key, listing } = stream;
    const parts = await this.#source.readParts(via, first.meta.seq, last.meta.seq);
    const append: Append = {
      id,
      ...(isFirst && { create: { kind, owner, key, ...(base && { base }) } }),
      events: run.map(toNewEvent),
      head: toValue(parts.head ?? "null"),
      rows: parts.patches.map((patch) => ({ ...patch, data: toPatchData(patch.data) })),
      names: parts.names,
      listing,
    };
    const idempotency = toIdempotency(first);
    const outcome = await this.#target.transact({
      streams: isFirst ? [{ kind, owner, key }, ...(base ? [{ id: base.id }] : [])] : [{ id }],
      ...(idempotency && { idempotency }),
      decide: () => ({ appends: [append] }),
    });
    if (outcome.kind === "committed") return;
    const why =
      outcome.kind === "refused"
        ? outcome.refusal.message
        : "its idempotency key was already used.";
    throw new BelayError(refuse("internal", `Stream ${id} cannot be copied: ${why}`, { id }));
  }

  #need(id: string, change: number): void {
    if (!this.streams.has(id)) this.#needed.set(id, (this.#needed.get(id) ?? 0) + change);
  }
}

const MOST_CUTS = 256;

function toNewEvent({ meta, body }: RawEvent): Append["events"][number] {
  const { seq, type, at, actor, trace_id, opens, row_key } = meta;
  const event = { seq, type, at, actor, interface: meta.interface, trace_id, data: toValue(body) };
  return opens === null ? event : { ...event, row: { kind: opens, key: row_key } };
}

function toIdempotency({ meta }: RawEvent): Idempotency | null {
  if (meta.idem === null) return null;
  const [scope, key]: unknown[] = JSON.parse(meta.idem);
  return { scope: String(scope), key: String(key), digest: meta.digest ?? "" };
}

function toValue(content: Content): unknown {
  return typeof content === "string" ? JSON.parse(content) : content;
}

function toPatchData(content: Content): NewPatch["data"] {
  const value = toValue(content);
  if (value instanceof Uint8Array || isRecord(value)) return value;
  throw new BelayError(refuse("storage_damaged", "An index row of the source is not an object."));
}

function hasOthers({ stream, seq }: FeedEvent): BelayError {
  const message = `The target has data that the source does not have: event ${seq} of stream ${stream}. Name an empty target.`;
  return new BelayError(refuse("invalid_input", message, { stream, seq }));
}

function isOther({ stream, seq }: FeedEvent): BelayError {
  const message = `Event ${seq} of stream ${stream} differs from the source. Run: belay verify, on the source. Then copy it to an empty target.`;
  return new BelayError(refuse("storage_damaged", message, { stream, seq }));
}

async function compareHead(source: CopySource, target: StreamStore, { id, seq }: CopiedStream) {
  const [{ head }, copied] = [
    await source.readParts(id, seq, seq),
    await loadStream(target, { id }),
  ];
  const isSame =
    head !== null && Buffer.compare(toBytes(head), toBytes(toContent(copied?.head))) === 0;
  if (isSame) return;
  const message = `The state of stream ${id} differs from the source. Copy it to an empty target.`;
  throw new BelayError(refuse("storage_damaged", message, { id }));
}

function toBytes(content: Content): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

function differs(events: number, total: number): BelayError {
  const message = `The copy has ${events} of ${total} events. Run this again.`;
  return new BelayError(refuse("storage_failed", message, { events, total }));
}
