import { hash } from "node:crypto";
import type { Listing } from "../../../contract/stream.ts";
import type { CheckedPatch } from "../../append-rules.ts";
import { bytesIn, type Content } from "../../content.ts";
import { LEASE_MS } from "../../lease-rules.ts";
import type { EventMeta } from "../../log/hash-event.ts";
import type { StreamRow } from "../database/stream-row.ts";

interface Check {
  readonly sid: number;
  readonly seq: number;
  readonly epoch: number;
  /** True if its lease is live by the database's clock; null if that does not matter. */
  readonly live: boolean | null;
}

interface PlannedEvent extends EventMeta {
  readonly sid: number;
  readonly hash: string;
  readonly pos: number;
}

interface PlannedKey {
  readonly idem: string;
  readonly sid?: number;
  readonly seq?: number;
}

/** The arguments of `belay.write_batch`: all contents one after the other, and everything else as lists in JSON. */
export class WritePlan {
  readonly #lists: Record<string, object[]> = {};
  readonly #keys = new Map<string, PlannedKey>();
  readonly #contents: Content[] = [];
  #bytes = 0;
  #first: Pick<PlannedEvent, "sid" | "seq" | "hash"> | undefined;

  /** An idempotency key in stored form. */
  static keyOf(idem: string): string {
    return hash("sha256", idem, "hex");
  }

  check(check: Check, ms = LEASE_MS): void {
    this.#add("checks", check.live === null ? check : { ...check, ms });
  }

  absent({ kind, owner, key }: { kind: string; owner: string; key: string }): void {
    this.#add("absent", { kind, owner, key });
  }

  missing(id: string): void {
    this.#add("missing", { id });
  }

  stream(row: StreamRow, listing: Listing, isNew: boolean): void {
    const { sid, id, kind, owner, key, seq, hash: end, lineage, head } = row;
    const parent = lineage.at(-1);
    const identity = isNew && {
      id,
      kind,
      owner,
      key,
      lineage: parent ? JSON.stringify(lineage) : null,
      parent: parent?.sid ?? null,
      parent_upto: parent?.upto ?? null,
    };
    this.#addContent(isNew ? "created" : "updated", head, {
      sid,
      seq,
      hash: end,
      ...identity,
      ...listing,
    });
  }

  copy(copy: { sid: number; source: number; lo: number; hi: number }): void {
    this.#add("copies", copy);
  }

  event(event: PlannedEvent, body: Content): void {
    this.#first ??= event;
    this.#addContent("events", body, event);
  }

  row(sid: number, { data, ...patch }: CheckedPatch): void {
    this.#addContent("rows", data, { sid, ...patch });
  }

  head(sid: number, seq: number, head: Content): void {
    this.#addContent("heads", head, { sid, seq });
  }

  name(name: { sid: number; name: string; owner: string; pos: number; seq: number }): void {
    this.#add("names", name);
  }

  key(idem: string, sid: number, seq: number): void {
    this.#keys.set(idem, { idem: WritePlan.keyOf(idem), sid, seq });
  }

  /** The key was unused when the batch was decided. */
  unanswered(idem: string): void {
    if (!this.#keys.has(idem)) this.#keys.set(idem, { idem: WritePlan.keyOf(idem) });
  }

  /** Identifies a commit whose answer was lost. */
  get firstEvent(): Pick<PlannedEvent, "sid" | "seq" | "hash"> | undefined {
    return this.#first;
  }

  /** In the order of the function's parameters. */
  toParameters(locks: readonly string[]): unknown[] {
    const keys = [...this.#keys.values()];
    return [
      locks,
      this.#json("checks"),
      this.#json("absent"),
      this.#json("missing"),
      keys.length > 0 ? JSON.stringify(keys) : null,
      this.#json("created"),
      this.#json("updated"),
      this.#json("copies"),
      this.#json("events"),
      this.#json("rows"),
      this.#json("heads"),
      this.#json("names"),
      this.#joinContents(),
    ];
  }

  #json(list: string): string | null {
    const items = this.#lists[list];
    return items ? JSON.stringify(items) : null;
  }

  #add(list: string, item: object): void {
    this.#lists[list] ??= [];
    this.#lists[list].push(item);
  }

  #addContent(list: ContentList, content: Content, item: object): void {
    const size = bytesIn(content);
    const is_bytes = typeof content === "string" ? undefined : true;
    this.#add(list, { ...item, start: this.#bytes, size, is_bytes });
    this.#contents.push(content);
    this.#bytes += size;
  }

  #joinContents(): Buffer {
    const joined = Buffer.allocUnsafe(this.#bytes);
    let end = 0;
    for (const content of this.#contents) {
      if (typeof content === "string") end += joined.write(content, end);
      else {
        joined.set(content, end);
        end += content.length;
      }
    }
    return joined;
  }
}

type ContentList = "created" | "updated" | "events" | "rows" | "heads";
