import { BelayError, type Refusal, refuse } from "../contract/errors.ts";
import { isRecord } from "../contract/is-record.ts";
import { LIMITS } from "../contract/limits.ts";
import type { ListingDeclaration } from "../contract/stream.ts";
import { bytesIn, type Content, toContent } from "./content.ts";
import {
  type Append,
  type Decision,
  type Idempotency,
  type Loaded,
  MAX_INDEXED_BYTES,
  type NewPatch,
  type StoredStream,
  type StreamRef,
  type Transaction,
  type Verdict,
} from "./stream-store.ts";

interface Decided extends Pick<DecisionGround, "streams" | "loaded"> {
  readonly verdict: Verdict;
}

/** Runs a decision on the loaded streams, and loads one more stream if it asks for it. */
export function runDecision(
  { streams, decide }: Transaction,
  loaded: Loaded,
  load: (ref: StreamRef) => StoredStream | undefined,
): Decided {
  const decision = decide(loaded);
  if (!("load" in decision)) return { verdict: decision, streams, loaded: loaded.streams };
  const more = load(decision.load);
  return {
    verdict: decision.decide(more),
    streams: [...streams, decision.load],
    loaded: [...loaded.streams, more],
  };
}

/** The same decision with a changed verdict, whenever it is reached. */
export function changeVerdict(decision: Decision, change: (verdict: Verdict) => Verdict): Decision {
  if (!("load" in decision)) return change(decision);
  return { load: decision.load, decide: (stream) => change(decision.decide(stream)) };
}

/** The facts that a store has when a decision was made. */
export interface DecisionGround {
  readonly streams: readonly StreamRef[];
  /** The loaded state of these streams, before the decision. */
  readonly loaded: readonly (LoadedSeq | undefined)[];
  readonly idempotency: Idempotency | undefined;
  /** True if any stream has this id. */
  hasStream(id: string): boolean;
  wasPurged(id: string): boolean;
  readonly declared: ListingDeclaration;
  /** Set if the store rolls back a transaction that throws, so that heads can be written later. */
  readonly undoes?: boolean;
  /** The limits of the port, unless a layer over this store enforces those. */
  readonly limits?: ContentLimits | undefined;
}

/** The largest sizes that a store accepts, in bytes. */
export interface ContentLimits {
  readonly body: number;
  readonly indexed: number;
}

const PORT_LIMITS: ContentLimits = { body: LIMITS.BODY_BYTES, indexed: MAX_INDEXED_BYTES };

/** Encrypted contents are longer. A store that encrypts holds its callers to the limits of the port itself. */
export const SEALED_LIMITS: ContentLimits = {
  body: LIMITS.BODY_BYTES + 4096,
  indexed: 2 * MAX_INDEXED_BYTES,
};

interface LoadedSeq {
  readonly id: string;
  readonly seq: number;
}

/** An append with its contents in stored form. */
export class CheckedAppend {
  readonly append: Append;
  /** One body per event. */
  readonly bodies: readonly Content[];
  /** The patches in `rows`, and one for each event that opens a row itself. */
  readonly patches: readonly CheckedPatch[];
  #head: Content | undefined;

  constructor(append: Append, bodies: readonly Content[], patches: readonly CheckedPatch[]) {
    this.append = append;
    this.bodies = bodies;
    this.patches = patches;
  }

  /** Serialized on demand, because some stores only need the last head of a commit as text. */
  get head(): Content {
    this.#head ??= toContent(this.append.head);
    return this.#head;
  }
}

export interface CheckedPatch extends Omit<NewPatch, "data"> {
  readonly data: Content;
}

/**
 * The rules that all stores share. Refuses content that no store accepts, and throws on an invalid
 * decision, which no retry could fix. A store saves the result only after this check.
 */
export function checkAppends(
  appends: readonly Append[],
  ground: DecisionGround,
): { readonly refused: Refusal } | { readonly checked: readonly CheckedAppend[] } {
  const { limits = PORT_LIMITS } = ground;
  const checked = appends.map(writeContents);
  // A head that cannot be serialized throws here, before anything is saved.
  if (!ground.undoes) for (const { head } of checked) void head;
  const refused = refuseContent(checked, ground.idempotency, limits);
  if (refused) return { refused };
  rejectTwice(appends);
  for (const { append, patches } of checked) {
    const before = append.create
      ? rejectUncreatable(append.id, append.create, ground)
      : rejectUndeclared(append.id, ground);
    rejectMisnumbered(append, before);
    rejectRepeatedRows(append.id, patches);
    rejectUnlistable(append, ground.declared);
  }
  return { checked };
}

/** The same rules for the contents alone, for a store that hands its own form of them to another. */
export function checkContents(
  appends: readonly Append[],
  idempotency: Idempotency | undefined,
): { readonly refused: Refusal } | { readonly checked: readonly CheckedAppend[] } {
  const checked = appends.map(writeContents);
  const refused = refuseContent(checked, idempotency, PORT_LIMITS);
  return refused ? { refused } : { checked };
}

/** The answer to a key that was used before with another digest. */
export function refuseReusedKey({ key }: Idempotency): Refusal {
  const message = "This idempotency key was used for another request. Use a new key.";
  return refuse("idempotency_conflict", message, { key });
}

function writeContents(append: Append): CheckedAppend {
  const bodies: Content[] = [];
  const patches: CheckedPatch[] = append.rows.map((row) => ({ ...row, data: toContent(row.data) }));
  for (const { seq, row, data } of append.events) {
    const body = toContent(data);
    bodies.push(body);
    if (!row) continue;
    if (typeof body === "string" && !isRecord(data)) {
      throw broken(`Event ${seq} of ${append.id} opens a row, but its data is not an object.`);
    }
    patches.push({ kind: row.kind, place: seq, nth: 0, seq, key: row.key, data: body });
  }
  return new CheckedAppend(append, bodies, patches);
}

function refuseContent(
  checked: readonly CheckedAppend[],
  idempotency: Idempotency | undefined,
  limits: ContentLimits,
): Refusal | undefined {
  const { indexed } = limits;
  for (const { append, bodies } of checked) {
    const refusal = refuseTexts(append, indexed) ?? refuseOversized(append, bodies, limits.body);
    if (refusal) return refusal;
  }
  if (!idempotency) return undefined;
  const { scope, key, digest } = idempotency;
  return refuseText(scope, indexed) ?? refuseText(key, indexed) ?? refuseText(digest, indexed);
}

function refuseTexts(
  { id, create, events, rows, names, listing }: Append,
  limit: number,
): Refusal | undefined {
  const texts: (string | null)[] = create ? [id, create.owner, create.key] : [];
  for (const { type, actor, interface: door, trace_id, row } of events) {
    texts.push(type, actor, door, trace_id);
    if (row) texts.push(row.kind, row.key);
  }
  for (const { kind, key } of rows) texts.push(kind, key);
  texts.push(...names);
  for (const field in listing) {
    const value = listing[field];
    if (typeof value === "string") texts.push(value);
  }
  if (areFine(texts, limit)) return undefined;
  for (const text of texts) {
    const refusal = text === null ? undefined : refuseText(text, limit);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Most texts are fine, and checking them together takes a fraction of the time. */
function areFine(texts: readonly (string | null)[], limit: number): boolean {
  for (const text of texts) if (text !== null && text.length * 3 > limit) return false;
  const all = texts.join(" ");
  return all.isWellFormed() && !all.includes("\0");
}

function refuseText(text: string, limit: number): Refusal | undefined {
  const problem = problemOf(text, limit);
  if (problem === undefined) return undefined;
  return refuse("invalid_input", `A name, id or path ${problem}. Correct it.`, { text });
}

function problemOf(text: string, limit: number): string | undefined {
  if (!text.isWellFormed()) return "contains half of a character";
  if (text.includes("\0")) return "contains a NUL character";
  const bytes = bytesOf(text, limit);
  if (bytes <= limit) return undefined;
  return `has ${bytes} bytes; ${limit} are allowed`;
}

function refuseOversized(
  { id, events }: Append,
  bodies: readonly Content[],
  limit: number,
): Refusal | undefined {
  for (const [index, body] of bodies.entries()) {
    const bytes = bytesOf(body, limit);
    if (bytes <= limit) continue;
    const message = `The body of an event has ${bytes} bytes; ${limit} are allowed.`;
    return refuse("too_large", message, { id, seq: events[index]?.seq, bytes, limit });
  }
  return undefined;
}

/** Counts bytes only if the limit could be exceeded: one UTF-16 unit takes at most three bytes. */
function bytesOf(content: Content, limit: number): number {
  return content.length * 3 > limit ? bytesIn(content) : 0;
}

function rejectTwice(appends: readonly Append[]): void {
  if (appends.length < 2) return;
  const places = appends.flatMap(({ id, create }) =>
    create ? [id, JSON.stringify([create.kind, create.owner, create.key])] : [id],
  );
  if (new Set(places).size < places.length)
    throw broken("A transaction has two appends to one stream.");
}

/** The seq of the stream before the append. */
function rejectUndeclared(id: string, { loaded }: DecisionGround): number {
  const stream = loaded.find((each) => each?.id === id);
  if (!stream) throw undeclared(id);
  return stream.seq;
}

/** The seq after which the new stream starts. */
function rejectUncreatable(
  id: string,
  { kind, owner, key, base }: NonNullable<Append["create"]>,
  { streams, loaded, hasStream, wasPurged }: DecisionGround,
): number {
  const place = streams.findIndex(
    (ref) => !("id" in ref) && ref.key === key && ref.owner === owner && ref.kind === kind,
  );
  const parent = base && loaded.find((each) => each?.id === base.id);
  if (place < 0 || (base && !parent)) throw undeclared(id);
  if (loaded[place] || hasStream(id)) {
    const message = `A ${kind} with the id ${key} already exists. Use it, or choose another id.`;
    throw new BelayError(refuse("session_exists", message, { id, kind, owner, key }));
  }
  if (wasPurged(id)) {
    throw new BelayError(refuse("session_deleted", `${id} was purged. Use a new id.`, { id }));
  }
  if (!base || !parent) return 0;
  if (base.seq >= 1 && base.seq <= parent.seq) return base.seq;
  const message = `${base.id} has no event ${base.seq} to fork after.`;
  throw new BelayError(refuse("event_not_found", message, { id: base.id, seq: base.seq }));
}

function rejectMisnumbered({ id, events }: Append, before: number): void {
  if (events.length === 0) throw broken(`The append to ${id} has no events.`);
  for (const [index, { seq }] of events.entries()) {
    const next = before + index + 1;
    if (seq !== next) throw broken(`Event ${seq} of ${id} must have the number ${next}.`);
  }
}

/** Two patches of one item in the same event would have no order. */
function rejectRepeatedRows(id: string, patches: readonly CheckedPatch[]): void {
  if (patches.length < 2) return;
  const names = patches.map(({ kind, place, nth, seq }) => `${place} ${nth} ${seq} ${kind}`);
  if (new Set(names).size < names.length)
    throw broken(`The append to ${id} has two patches in one place.`);
}

/** Every stream must have a value for every declared field. */
function rejectUnlistable({ id, listing }: Append, { fields }: ListingDeclaration): void {
  for (const name in fields) {
    const kind = fields[name];
    const value = listing[name];
    const fits = kind === "text" ? typeof value === "string" : Number.isFinite(value);
    if (!fits || (kind === "flag" && value !== 0 && value !== 1)) {
      throw broken(`The list entry of ${id} needs a ${kind} ${name}.`);
    }
  }
  for (const name in listing) {
    if (!Object.hasOwn(fields, name))
      throw broken(`The list entry of ${id} has the undeclared field ${name}.`);
  }
}

function undeclared(id: string): BelayError {
  return broken(`The append to ${id} needs streams that its transaction did not declare.`);
}

function broken(message: string): BelayError {
  return new BelayError(refuse("internal", message));
}
