import type { StreamRef } from "../../stream-store.ts";
import type { StreamRow } from "../database/stream-row.ts";

/** Streams as this node last knew them. They only seed decisions, which the database checks. */
export class WarmStreams {
  readonly #rows = new Map<string, StreamRow>();
  readonly #ids = new Map<string, string>();

  find(ref: StreamRef): StreamRow | undefined {
    const id = "id" in ref ? ref.id : this.#ids.get(placeOf(ref));
    return id === undefined ? undefined : this.#rows.get(id);
  }

  remember(row: StreamRow): void {
    const known = this.#rows.get(row.id);
    if (known && known.seq > row.seq) return;
    // The most recently used stream is removed last.
    this.#rows.delete(row.id);
    this.#rows.set(row.id, row);
    this.#ids.set(placeOf(row), row.id);
    if (this.#rows.size <= LIMIT) return;
    const [oldest] = this.#rows.values();
    if (oldest) this.drop(oldest.id);
  }

  drop(id: string): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#rows.delete(id);
    this.#ids.delete(placeOf(row));
  }

  forget(): void {
    this.#rows.clear();
    this.#ids.clear();
  }
}

/** 2,048 streams are a few megabytes of heads. */
const LIMIT = 2048;

export function placeOf({
  kind,
  owner,
  key,
}: {
  kind: string;
  owner: string;
  key: string;
}): string {
  return JSON.stringify([kind, owner, key]);
}
