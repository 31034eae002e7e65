import { LIMITS } from "../../../contract/limits.ts";
import type { Listing } from "../../../contract/stream.ts";
import type { CheckedAppend } from "../../append-rules.ts";
import { bytesIn, LateContent } from "../../content.ts";
import { freezeJson } from "../../freeze-json.ts";
import { describeLease, type LeaseClock } from "../../lease-rules.ts";
import type { ListingColumns } from "../../listing-columns.ts";
import type { AnchorRecord } from "../../log/anchor.ts";
import { hashEvent, idemOf, metaOf, NO_HASH } from "../../log/hash-event.ts";
import { isHeadDue } from "../../log/is-head-due.ts";
import { type Lineage, lineageAfter, segmentsWithin } from "../../log/lineage.ts";
import type { Append, Idempotency, StoredStream, StreamRef } from "../../stream-store.ts";
import type { SqlSession } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import { isStorable, isStorableRef } from "../database/storable-text.ts";
import { findStreamRows, type StreamRow, toStoredStream } from "../database/stream-row.ts";
import { lockOfId, lockOfIdem, lockOfRef } from "./locks.ts";
import { placeOf, type WarmStreams } from "./warm-streams.ts";
import { WritePlan } from "./write-plan.ts";

/** The earlier answer under an idempotency key. */
interface Answered {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly digest: string | null;
}

interface BatchOptions {
  readonly session: SqlSession;
  readonly clock: LeaseClock;
  readonly columns: ListingColumns;
  /** The cache from which streams may be used without reading them. */
  readonly warm: WarmStreams | null;
  readonly nextSid: () => Promise<number>;
}

/**
 * The transactions that are decided together: each sees the streams as the previous one left them. It records the facts
 * behind the decisions, for the database to check.
 */
export class WriteBatch {
  readonly plan = new WritePlan();
  readonly #options: BatchOptions;
  /** The loaded rows by id; undefined if there is none. */
  readonly #found = new Map<string, StreamRow | undefined>();
  readonly #rows = new Map<string, StreamRow>();
  readonly #listings = new Map<string, Listing>();
  /** Ids by kind, owner and key; null if there is none. */
  readonly #places = new Map<string, string | null>();
  readonly #absent: { kind: string; owner: string; key: string }[] = [];
  readonly #answered = new Map<string, Answered | null>();
  readonly #purged = new Set<string>();
  readonly #hashes = new Map<string, string>();
  readonly #locks = new Set<string>();
  #pos = 0;
  bytes = 0;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /** Loads everything that these name, with one query for what is neither cached nor expected to be new. */
  async load(
    refs: readonly StreamRef[],
    isNew: (ref: StreamRef) => boolean = () => false,
  ): Promise<void> {
    const { warm, session } = this.#options;
    const wanted: StreamRef[] = [];
    for (const ref of refs) {
      this.#locks.add(lockOfRef(ref));
      if (this.#isKnown(ref)) continue;
      const row = warm?.find(ref);
      const isGuessed = warm !== null && !row && isNew(ref);
      if (!row && !isGuessed && isStorableRef(ref)) wanted.push(ref);
      else this.#know(ref, row);
    }
    if (wanted.length === 0) return;
    const { rows } = await findStreamRows(session, wanted);
    for (const [index, ref] of wanted.entries()) this.#know(ref, rows[index]);
  }

  async loadAnswers(keys: readonly Idempotency[]): Promise<void> {
    const wanted = keys.map(idemOf).filter((idem) => !this.#answered.has(idem));
    if (wanted.length === 0) return;
    for (const idem of wanted) {
      this.#locks.add(lockOfIdem(idem));
      this.#answered.set(idem, null);
    }
    const hashes = wanted.map((idem) => WritePlan.keyOf(idem));
    const found = await this.#options.session.query<Answered & { idem: string }>(ANSWERS, [hashes]);
    for (const { idem, ...answered } of found) this.#answered.set(idem, answered);
  }

  /** Loads which ids without a stream were purged. */
  async loadTombstones(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter(isStorable);
    if (wanted.length === 0) return;
    const found = await this.#options.session.query<{ id: string }>(TOMBSTONES, [wanted]);
    for (const { id } of found) this.#purged.add(id);
  }

  find(ref: StreamRef): StreamRow | undefined {
    const id = "id" in ref ? ref.id : this.#places.get(placeOf(ref));
    return id === undefined || id === null ? undefined : this.#rows.get(id);
  }

  describe(row: StreamRow): StoredStream {
    const { clock } = this.#options;
    return row.shown === undefined
      ? toStoredStream(row, clock)
      : toStoredStream(row, clock, row.shown);
  }

  /** True if this batch changes it. */
  isChanged({ id, seq }: StreamRow): boolean {
    return this.#found.get(id)?.seq !== seq;
  }

  answerOf(idempotency: Idempotency): Answered | null {
    return this.#answered.get(idemOf(idempotency)) ?? null;
  }

  wasPurged(id: string): boolean {
    return this.#purged.has(id);
  }

  /** Adds the result of a decision, and returns its streams. */
  async add(
    checked: readonly CheckedAppend[],
    idempotency: Idempotency | undefined,
  ): Promise<StoredStream[]> {
    const bases: (Beginning | undefined)[] = [];
    for (const { append } of checked) bases.push(await this.#prepare(append));
    return checked.map((each, index) =>
      this.#append(each, bases[index], index === 0 ? idempotency : undefined),
    );
  }

  /** The ids, keys and idempotency keys that the batch depends on. */
  get locks(): ReadonlySet<string> {
    return this.#locks;
  }

  /** The facts that the database must confirm before anything is written. */
  finish(): WritePlan {
    const { clock } = this.#options;
    for (const [id, row] of this.#found) {
      if (!row) this.plan.missing(id);
      else {
        const { sid, seq, epoch, holder } = row;
        const byTime = holder !== null && clock.isAlive(holder) === null;
        const live = byTime ? describeLease(row, clock)?.live === true : null;
        this.plan.check({ sid, seq, epoch, live }, clock.leaseMs);
      }
    }
    for (const place of this.#absent) this.plan.absent(place);
    for (const [id, row] of this.#rows) {
      const listing = this.#listings.get(id);
      if (listing) this.plan.stream(row, listing, this.#found.get(id) === undefined);
    }
    for (const [idem, answered] of this.#answered) if (!answered) this.plan.unanswered(idem);
    return this.plan;
  }

  /** The last event of each stream that it appends to. */
  get records(): AnchorRecord[] {
    return [...this.#listings.keys()].flatMap((id) => this.#rows.get(id) ?? []);
  }

  /** Call after the commit. */
  settle(warm: WarmStreams): void {
    for (const row of this.#rows.values()) warm.remember(row);
  }

  #isKnown(ref: StreamRef): boolean {
    return "id" in ref ? this.#found.has(ref.id) : this.#places.has(placeOf(ref));
  }

  #know(ref: StreamRef, row: StreamRow | undefined): void {
    if (!("id" in ref)) {
      this.#places.set(placeOf(ref), row?.id ?? null);
      if (!row && isStorableRef(ref)) this.#absent.push(ref);
    }
    const id = row?.id ?? ("id" in ref ? ref.id : undefined);
    if (id === undefined || this.#found.has(id)) return;
    this.#found.set(id, row);
    if (!row) return;
    this.#locks.add(lockOfId(id));
    this.#rows.set(id, row);
    this.#places.set(placeOf(row), id);
  }

  /** The start of a new stream; undefined for an existing one. */
  async #prepare({ create }: Append): Promise<Beginning | undefined> {
    if (!create) return undefined;
    const sid = await this.#options.nextSid();
    if (!create.base) return { sid, seq: 0, hash: NO_HASH, lineage: [] };
    const { id, seq } = create.base;
    const parent = this.find({ id });
    if (!parent) throw damaged(id, "it was loaded and is not there");
    const hash = await this.#hashAt(parent, seq);
    const lineage = lineageAfter(parent, seq);
    if (lineage.length <= LIMITS.FORK_DEPTH) return { sid, seq, hash, lineage };
    return { sid, seq, hash, lineage: [], copied: lineage };
  }

  async #hashAt(stream: StreamRow, seq: number): Promise<string> {
    if (seq === stream.seq) return stream.hash;
    const [segment] = segmentsWithin(stream, seq, seq);
    const sid = segment?.sid ?? stream.sid;
    const own = this.#hashes.get(`${sid} ${seq}`);
    if (own !== undefined) return own;
    const [row] = await this.#options.session.query<{ hash: string }>(HASH, [sid, seq]);
    if (!row) throw damaged(stream.id, `event ${seq} is missing`);
    return row.hash;
  }

  #append(
    { append, bodies, head, patches }: CheckedAppend,
    beginning: Beginning | undefined,
    idempotency: Idempotency | undefined,
  ): StoredStream {
    const { id, create } = append;
    const before = create && beginning ? begin(id, create, beginning) : this.#rows.get(id);
    if (!before) throw damaged(id, "it was loaded and is not there");
    this.#copy(beginning);
    this.#locks.add(lockOfId(id));
    const { sid, owner } = before;
    let { hash } = before;
    for (const [index, event] of append.events.entries()) {
      const { seq } = event;
      const body = bodies[index] ?? "null";
      const first = index === 0 ? idempotency : undefined;
      const meta = metaOf(event, first, append.events.length);
      hash = hashEvent(hash, id, meta, body);
      this.#hashes.set(`${sid} ${seq}`, hash);
      this.#pos += 1;
      this.bytes += bytesIn(body);
      this.plan.event({ sid, ...meta, hash, pos: this.#pos }, body);
    }
    const seq = before.seq + append.events.length;
    if (idempotency) this.#remember(idempotency, { id, sid, from: before.seq + 1, to: seq });
    // The further patches are of events that open a row themselves.
    for (const patch of patches.slice(0, append.rows.length)) this.plan.row(sid, patch);
    for (const name of append.names) this.plan.name({ sid, name, owner, pos: this.#pos, seq });
    if (isHeadDue(before.seq, seq)) this.plan.head(sid, seq, head);
    const shown = isBytes(append.head) ? undefined : freezeJson(append.head, before.shown);
    const row = { ...before, seq, hash, head, shown };
    this.#rows.set(id, row);
    this.#places.set(placeOf(row), id);
    this.#listings.set(id, this.#options.columns.toColumns(append.listing));
    return toStoredStream(row, this.#options.clock, append.head);
  }

  #copy({ sid, copied = [] }: Partial<Beginning> = {}): void {
    let lo = 1;
    for (const { sid: source, upto: hi } of copied) {
      this.plan.copy({ sid: sid ?? 0, source, lo, hi });
      lo = hi + 1;
    }
  }

  #remember(
    idempotency: Idempotency,
    { sid, ...span }: Omit<Answered, "digest"> & { readonly sid: number },
  ): void {
    const idem = idemOf(idempotency);
    this.#answered.set(idem, { ...span, digest: idempotency.digest });
    this.plan.key(idem, sid, span.from);
  }
}

/** True if the head is bytes, now or when it is written. */
function isBytes(head: unknown): boolean {
  return head instanceof Uint8Array || head instanceof LateContent;
}

interface Beginning {
  readonly sid: number;
  readonly seq: number;
  readonly hash: string;
  readonly lineage: Lineage;
  /** The events that the new stream copies, if it would otherwise depend on too many streams. */
  readonly copied?: Lineage;
}

function begin(
  id: string,
  { kind, owner, key }: NonNullable<Append["create"]>,
  { sid, seq, hash, lineage }: Beginning,
): StreamRow {
  return { sid, id, kind, owner, key, seq, hash, lineage, epoch: 0, holder: null, head: "null" };
}

const ANSWERS = `SELECT e.idem, s.id, e.seq AS from, e.seq + e.span - 1 AS to, e.digest
  FROM belay.keys k JOIN belay.events e ON e.sid = k.sid AND e.seq = k.seq JOIN belay.streams s ON s.sid = k.sid
  WHERE k.idem IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h)`;
const TOMBSTONES = "SELECT id FROM belay.tombstones WHERE id = ANY ($1::text[])";
const HASH = "SELECT encode(hash, 'hex') AS hash FROM belay.events WHERE sid = $1 AND seq = $2";
