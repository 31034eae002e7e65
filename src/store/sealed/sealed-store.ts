import type { ListingDeclaration } from "../../contract/stream.ts";
import { changeVerdict, refuseReusedKey } from "../append-rules.ts";
import { type Shown, showEvents, showRows } from "../cut-pages.ts";
import type { NodeRegistry } from "../node-registry.ts";
import type { StoreCare } from "../store-care.ts";
import type {
  Decision,
  Loaded,
  Outcome,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
  Transaction,
} from "../stream-store.ts";
import { destroyKeys, sweepKeys } from "./destroy-keys.ts";
import { entryRef, isRingKind } from "./key-entry.ts";
import type { KeyRing } from "./key-ring.ts";
import { cannotOpen } from "./seal-bytes.ts";
import { sealedBlobs } from "./sealed-blobs.ts";
import { keyIdOf } from "./sealed-content.ts";
import { sealedFeed } from "./sealed-feed.ts";
import { sealedList } from "./sealed-list.ts";
import { SealedTexts, withRoom } from "./sealed-texts.ts";
import { SealingAppends } from "./sealing-appends.ts";
import { StreamOpener } from "./stream-opener.ts";

/**
 * Encrypts everything in another store, here called the inner store: contents with the key of the stream that wrote
 * them; texts that are searched are replaced by keyed hashes. For callers, it keeps every promise of the port.
 */
export function sealedStore<S extends StreamStore & Partial<StoreCare>>(
  store: S,
  ring: KeyRing,
  declared: ListingDeclaration,
): S {
  const texts = new SealedTexts(ring.hashes, declared);
  const opener = new StreamOpener(ring);
  const appends = new SealingAppends(ring, texts, opener);

  async function transact(transaction: Transaction): Promise<Outcome> {
    let spares: readonly string[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const needs = new Set<string>();
      // Appends nothing, so no idempotency key is used. The keys are opened first, and then the decision runs again.
      const stop = () => ({ appends: [] });
      const write = (decision: Decision, found: Loaded["streams"]) =>
        changeVerdict(decision, (verdict) => {
          if ("refused" in verdict) return verdict;
          const plan = appends.plan(verdict.appends, transaction.idempotency, found, spares);
          if (!("needs" in plan)) return plan;
          for (const need of plan.needs) needs.add(need);
          return stop();
        });
      const decide = (loaded: Loaded): Decision => {
        needs.clear();
        const streams = loaded.streams.slice(0, transaction.streams.length).map(hideRing);
        const rows = loaded.rows;
        for (const id of opener.unknownKeys({ streams, rows })) needs.add(id);
        if (needs.size > 0) return stop();
        const decision = transaction.decide(opener.showLoaded({ streams, rows }, transaction));
        if (!("load" in decision)) return write(decision, streams);
        return {
          load: texts.toRef(decision.load),
          decide: (found) => {
            const more = hideRing(found);
            for (const id of opener.unknownKeys({ streams: [more], rows: [] })) needs.add(id);
            if (needs.size > 0) return stop();
            const verdict = decision.decide(more && opener.showFound(more, decision.load));
            const written = write(verdict, [...streams, more]);
            return "load" in written ? stop() : written;
          },
        };
      };
      const { expectsNew = false, idempotency, reads } = transaction;
      const outcome = await store
        .transact({
          streams: [...transaction.streams.map((ref) => texts.toRef(ref)), ...spares.map(entryRef)],
          expectsNew,
          ...(reads && {
            reads: reads.map(({ stream, query }) => ({ stream, query: texts.toRowQuery(query) })),
          }),
          ...(idempotency && { idempotency: ring.hashes.idempotency(idempotency) }),
          decide,
        })
        .catch((error: unknown) => {
          throw opener.showError(error);
        });
      if (needs.size === 0) return showOutcome(outcome, transaction);
      if (attempt === MOST_ATTEMPTS) throw cannotOpen();
      spares = await appends.prepare(needs);
    }
  }

  function showOutcome(outcome: Outcome, { idempotency }: Transaction): Outcome {
    if (outcome.kind === "committed") {
      const streams = outcome.streams.filter(({ kind }) => !isRingKind(kind));
      return { ...outcome, streams: streams.map((stream) => opener.showStream(stream)) };
    }
    if (outcome.kind === "refused" && idempotency) {
      const isReused = outcome.refusal.error === "idempotency_conflict";
      if (isReused) return { ...outcome, refusal: refuseReusedKey(idempotency) };
    }
    return outcome;
  }

  async function read(reads: readonly StreamRead[], bytes?: number) {
    const inner = reads.map((one) => texts.toRead(one));
    const room = withRoom(bytes === undefined ? {} : { bytes }).bytes;
    for (let attempt = 1; ; attempt += 1) {
      const parts = (await store.read(inner, room)).map((part) =>
        part && isRingKind(part.stream.kind) ? undefined : part,
      );
      const keys = new Set<string>();
      for (const part of parts) if (part) opener.addKeys(part, keys);
      await ring.load(keys);
      // A stream that was purged in between has lost its key.
      if ([...keys].every((id) => ring.find(id))) return cut(parts, reads, bytes);
      if (attempt === MOST_ATTEMPTS) throw cannotOpen();
    }
  }

  /** The answer ends after the part that exceeds the byte limit. */
  function cut(
    parts: readonly (StreamPart | undefined)[],
    reads: readonly StreamRead[],
    bytes: number | undefined,
  ): (StreamPart | undefined)[] {
    const shown: (StreamPart | undefined)[] = [];
    let room = bytes ?? Number.POSITIVE_INFINITY;
    for (const [n, part] of parts.entries()) {
      const asked = reads[n];
      if (room < 0 || !asked) break;
      const whole = part && showPart(part, asked);
      if (whole) room -= whole.bytes;
      shown.push(whole?.part);
    }
    return shown;
  }

  /** The decrypted part, and the size of its rows and events in bytes. */
  function showPart(part: StreamPart, asked: StreamRead): { part: StreamPart; bytes: number } {
    let bytes = 0;
    const own = opener.ownKey(part.stream.head);
    const counted = <T>(opened: readonly Shown<T>[]): T[] =>
      opened.map(({ item, bytes: size }) => {
        bytes += size ?? 0;
        return item;
      });
    const shown = {
      stream: opener.showFound(part.stream, asked.ref),
      rows: part.rows.map((page, n) => {
        const query = asked.rows?.[n];
        return counted(showRows(page, query, (patch) => opener.showPatch(patch, query, own)));
      }),
      events: part.events.map((page, n) =>
        counted(showEvents(page, asked.events?.[n], (event) => opener.showEvent(event, own))),
      ),
      heads: part.heads.map((found) => found && opener.showHead(found, own)),
    };
    return { part: shown, bytes };
  }

  return {
    ...store,
    fileSeal: ring.fileSeal,
    ...(store.nodes && { nodes: sealedNodes(store.nodes, ring) }),
    transact,
    read,
    list: sealedList(store, ring, texts, opener, declared),
    findByName: (owner, name, page) => store.findByName(owner, ring.hashes.name(owner, name), page),
    readFeed: sealedFeed(store, ring, opener),
    async purge(id, at, seq) {
      const [part] = await store.read([{ ref: { id } }]);
      if (!part || isRingKind(part.stream.kind)) return;
      const key = keyIdOf(part.stream.head);
      if (key === undefined) await store.purge(id, at, seq);
      else await destroyKeys(store, ring, key, at, () => store.purge(id, at, seq));
    },
    ...(store.blobs && { blobs: sealedBlobs(store, store.blobs, ring) }),
    ...(store.inspectIndex && {
      inspectIndex: async ({ listing, names, ...stream }) => {
        const sealed = names.map((name) => ring.hashes.name(stream.owner, name));
        const index = { ...stream, listing: texts.toListing(listing), names: sealed };
        return (await store.inspectIndex?.(index)) ?? [];
      },
    }),
    ...(store.compact && {
      // An interrupted purge leaves a key behind.
      async compact() {
        await sweepKeys(store, ring, Date.now());
        await store.compact?.();
      },
    }),
  };
}

/**
 * The limit of attempts. Keys are opened between two attempts, so a decision that needs a new key each time must not
 * run forever.
 */
const MOST_ATTEMPTS = 10;

/** Someone who reads the database must not learn what nodes send each other. */
function sealedNodes(nodes: NodeRegistry, ring: KeyRing): NodeRegistry {
  return {
    join: (node, listener) => nodes.join(node, listener),
    list: () => nodes.list(),
    measure: () => nodes.measure(),
    most_streams: nodes.most_streams,
    now: () => nodes.now(),
    readSecret: async () => ring.messageSecret,
    values: nodes.values,
  };
}

/** Callers do not see the entries of the key ring, which are streams. */
function hideRing(stream: StoredStream | undefined): StoredStream | undefined {
  return stream && isRingKind(stream.kind) ? undefined : stream;
}
