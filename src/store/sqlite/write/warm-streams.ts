import type { StreamRef } from "../../stream-store.ts";
import { toInteger } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import type { StreamRow } from "../database/stream-row.ts";

/**
 * Streams that one write transaction left behind and the next can reuse, as long as no other
 * process wrote.
 */
export class WarmStreams {
  #version: number | undefined;
  readonly #rows = new Map<string, StreamRow>();
  readonly #ids = new Map<string, string>();
  /** The newest position and sid; undefined if unknown. */
  position: number | undefined;
  sid: number | undefined;

  /** Call inside a write transaction, where the answer holds until its end. */
  refresh(db: Connection): void {
    const [found] = db.getValues("PRAGMA data_version") ?? [];
    const version = toInteger(found, "data_version", null);
    if (version !== this.#version) this.forget();
    this.#version = version;
  }

  find(ref: StreamRef): StreamRow | undefined {
    const id = "id" in ref ? ref.id : this.#ids.get(placeOf(ref));
    return id === undefined ? undefined : this.#rows.get(id);
  }

  remember(row: StreamRow): void {
    if (this.#rows.size >= LIMIT) this.forget();
    // Neither the place nor the id ever changes.
    if (!this.#rows.has(row.id)) this.#ids.set(placeOf(row), row.id);
    this.#rows.set(row.id, row);
  }

  drop(row: StreamRow): void {
    this.#rows.delete(row.id);
    this.#ids.delete(placeOf(row));
  }

  forget(): void {
    this.#version = undefined;
    this.#rows.clear();
    this.#ids.clear();
    this.position = undefined;
    this.sid = undefined;
  }
}

/** 1,024 streams are a few megabytes of heads. */
const LIMIT = 1024;

/** Indexed texts never contain NUL. */
export function placeOf({ kind, owner, key }: Pick<StreamRow, "kind" | "owner" | "key">): string {
  return `${kind}\0${owner}\0${key}`;
}
