import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import type { CommitEntry, Tombstone } from "../disk/commit-entry.ts";
import type { ChainEnd } from "../disk/commit-log.ts";
import { openLine, sealLine } from "../disk/sealed-line.ts";
import type { HeldBlob } from "./held-blobs.ts";
import type { IndexedStream, NamedAt, Remembered } from "./stream-index.ts";

/** The index as of a place in the commits. */
export interface Snapshot extends ChainEnd {
  readonly newest: CommitEntry | null;
  readonly position: number;
  readonly streams: readonly IndexedStream[];
  readonly purged: readonly Tombstone[];
  readonly names: readonly (readonly [string, readonly NamedAt[]])[];
  readonly blobs: readonly (readonly [string, readonly HeldBlob[]])[];
  readonly remembered: readonly (readonly [string, Remembered])[];
}

/** Returns the size of the file. */
export function writeSnapshot(path: string, snapshot: Snapshot): number {
  const line = sealLine(JSON.stringify(snapshot));
  replaceFile(path, `${line}\n`);
  return line.length;
}

/** Null if there is none, or it cannot be used: then everything is read from the commits. */
export function readSnapshot(
  path: string,
): { readonly snapshot: Snapshot; readonly bytes: number } | null {
  const text = readFile(path)?.toString("utf8");
  const object = text === undefined ? null : openLine(text.trimEnd());
  if (object === null) return null;
  return { snapshot: JSON.parse(object), bytes: object.length };
}
