import type { CommittedBlob } from "../disk/commit-entry.ts";

/** The blobs of each stream, as far as they are committed. */
export class HeldBlobs {
  readonly #streams = new Map<string, Map<string, CommittedBlob>>();

  of(id: string): ReadonlyMap<string, CommittedBlob> {
    return this.#streams.get(id) ?? NONE;
  }

  add(id: string, blob: CommittedBlob): void {
    const blobs = this.#streams.get(id) ?? new Map();
    blobs.set(blob.name, blob);
    this.#streams.set(id, blobs);
  }

  drop(id: string, name: string): void {
    const blobs = this.#streams.get(id);
    blobs?.delete(name);
    if (blobs?.size === 0) this.#streams.delete(id);
  }

  /** The blobs that a fork of a stream shares: those that were stored before the event after which it was cut. */
  sharedBy(base: { readonly id: string; readonly seq: number }): CommittedBlob[] {
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
      for (const { writer, name, size, owner: payer } of blobs.values()) {
        if (payer === owner) sizes.set(`${writer} ${name}`, size);
      }
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  *[Symbol.iterator](): Generator<readonly [id: string, blobs: readonly CommittedBlob[]]> {
    for (const [id, blobs] of this.#streams) yield [id, [...blobs.values()]];
  }
}

const NONE: ReadonlyMap<string, CommittedBlob> = new Map();
