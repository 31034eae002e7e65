import { type CheckedAppend, checkContents } from "../append-rules.ts";
import type { Append, Idempotency, StoredStream, Verdict } from "../stream-store.ts";
import { childBase } from "./destroy-keys.ts";
import { newKeyId } from "./key-entry.ts";
import type { DataKey, KeyRing } from "./key-ring.ts";
import { sealBody, sealHead, sealPatch } from "./seal-parts.ts";
import { keyIdOf } from "./sealed-content.ts";
import { SealedHead } from "./sealed-head.ts";
import type { SealedTexts } from "./sealed-texts.ts";
import type { StreamOpener } from "./stream-opener.ts";

type Plan = Verdict | { readonly needs: readonly string[] };

const OWNER = "owner:";
const SPARE = "spare:";

/** Encrypts the appends of a decision, with a new key for each stream that it creates. */
export class SealingAppends {
  readonly #ring: KeyRing;
  readonly #texts: SealedTexts;
  readonly #opener: StreamOpener;

  constructor(ring: KeyRing, texts: SealedTexts, opener: StreamOpener) {
    this.#ring = ring;
    this.#texts = texts;
    this.#opener = opener;
  }

  /** `found` are the streams as they are stored. If keys are missing, it returns the ids to `prepare`. */
  plan(
    appends: readonly Append[],
    idempotency: Idempotency | undefined,
    found: readonly (StoredStream | undefined)[],
    spares: readonly string[],
  ): Plan {
    const result = checkContents(appends, idempotency);
    if ("refused" in result) return result;
    const created = appends.filter(({ create }) => create);
    const needs: string[] = [];
    if (created.length > spares.length) needs.push(SPARE + created.length);
    for (const { create } of created) {
      if (create && !this.#ring.owner(create.owner)) needs.push(OWNER + create.owner);
    }
    const storedAs = (id: string) => found.find((each) => each?.id === id);
    const keyOf = (id: string): DataKey | undefined => {
      const head = storedAs(id)?.head;
      return head instanceof SealedHead ? head.key : this.#ring.find(keyIdOf(head) ?? "");
    };
    const bases = created.map(({ create }) => {
      const parent = create?.base && keyOf(create.base.id);
      if (!parent || !create?.base) return null;
      const base = childBase(this.#ring, parent, create.base.seq);
      if ("needs" in base) needs.push(base.needs);
      return "needs" in base ? null : base;
    });
    if (needs.length > 0) return { needs };

    let used = 0;
    const sealed = result.checked.flatMap((checked) => {
      const { id, create, events } = checked.append;
      if (!create) return this.#seal(checked, keyOf(id), storedAs(id));
      const purpose = { writer: id, owner: create.owner, base: bases[used] ?? null };
      const entry = this.#ring.newDataKey(spares[used] ?? "", purpose, events[0]?.at ?? 0);
      used += 1;
      // A stream is read together with its key, and a store that writes in this order has both in one page.
      return [this.#seal(checked, entry.key, undefined), entry.append];
    });
    return { appends: sealed };
  }

  /** Opens and creates keys. Returns the ids of keys that the next attempt may use. */
  async prepare(needs: ReadonlySet<string>): Promise<string[]> {
    const names = [...needs];
    const after = (prefix: string) =>
      names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    await this.#ring.ensureOwners(after(OWNER));
    await this.#ring.load(names.filter((name) => !name.includes(":")));
    const count = Math.max(0, ...after(SPARE).map(Number));
    return Array.from({ length: count }, newKeyId);
  }

  /** Without a key the stream was not declared, and the inner store refuses it. */
  #seal(
    checked: CheckedAppend,
    key: DataKey | undefined,
    before: StoredStream | undefined,
  ): Append {
    const { append, bodies, patches } = checked;
    if (!key) return append;
    const { id: writer, create, events, rows, names, listing } = append;
    const { hashes } = this.#ring;
    const hashRowKey = (kind: string, rowKey: string | null) =>
      rowKey === null ? null : hashes.rowKey(kind, rowKey);
    const owner = create?.owner ?? key.owner;
    const seq = events.at(-1)?.seq ?? 0;
    const streamKey = create?.key ?? (before ? this.#opener.keyOf(before) : "");
    const place = { writer, seq, streamKey };
    const head = this.#opener.toLate(key, place, append.head, before?.head);
    return {
      id: writer,
      ...(create && { create: { ...create, key: hashes.sealKey(create.key) } }),
      head: head ?? sealHead(key, place, checked.head),
      events: events.map((event, n) => {
        const { seq, type, at, row } = event;
        return {
          seq,
          type,
          at,
          actor: "",
          interface: event.interface,
          trace_id: null,
          data: sealBody(key, writer, event, bodies[n] ?? "null"),
          ...(row && { row: { kind: row.kind, key: hashRowKey(row.kind, row.key) } }),
        };
      }),
      rows: patches.slice(0, rows.length).map((patch) => {
        const { kind, place, nth, seq } = patch;
        const data = sealPatch(key, writer, patch);
        return { kind, place, nth, seq, key: hashRowKey(kind, patch.key), data };
      }),
      names: names.map((name) => hashes.name(owner, name)),
      listing: this.#texts.toListing(listing),
    };
  }
}
