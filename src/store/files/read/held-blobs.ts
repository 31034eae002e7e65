import type { CommittedBlob } from "../disk/commit-entry.ts";

export interface HeldBlob extends CommittedBlob {
  /** The stream that put it, and its owner, for whom it counts. */
  readonly writer: string;
  readonly owner: string;
}

/** The committed blobs of each stream, by their keys. */
export class HeldBlobs {
  readonly #streams = new Map<string, Map<string, HeldBlob>>();

  of(id: string): ReadonlyMap<string, HeldBlob> {
    return this.#streams.get(id) ?? NONE;
  }

  add(id: string, blob: HeldBlob): void {
    const blobs = this.#streams.get(id) ?? new Map();
    blobs.set(blob.key, blob);
    this.#streams.set(id, blobs);
  }

  drop(id: string, key: string): void {
    const blobs = this.#streams.get(id);
    blobs?.delete(key);
    if (blobs?.size === 0) this.#streams.delete(id);
  }

  /** The blobs that a fork of a stream shares: those that were stored before the event after which it was cut. */
  sharedBy(base: { readonly id: string; readonly seq: number }): HeldBlob[] {
    return [...this.of(base.id).values()].filter(({ seq }) => seq < base.seq);
  }

  forget(id: string): void {
    this.#streams.delete(id);
  }

  clear(): void {
    this.#streams.clear();
  }

  /** The bytes that count for an owner: a blob that forks share counts once. */
  used(owner: string): number {
    const sizes = new Map<string, number>();
    for (const blobs of this.#streams.values()) {
      for (const { writer, key, size, owner: payer } of blobs.values()) {
        if (payer === owner) sizes.set(`${writer} ${key}`, size);
      }
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  *[Symbol.iterator](): Generator<readonly [id: string, blobs: readonly HeldBlob[]]> {
    for (const [id, blobs] of this.#streams) yield [id, [...blobs.values()]];
  }
}

const NONE: ReadonlyMap<string, HeldBlob> = new Map();
