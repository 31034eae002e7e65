import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { openToAppend } from "../../files/open-file.ts";
import { syncFolder } from "../../files/sync-folder.ts";

/** The last acknowledged event of a stream. */
export interface AnchorRecord {
  readonly id: string;
  readonly seq: number;
  /** The hash of the event at `seq`; a record read from the file has only its first half. */
  readonly hash: string;
}

/**
 * A file next to the database that shows if a log has lost its tail. It is written after the commit
 * and never synced: a crash can only make a log look ahead of its anchor, never behind.
 */
export class Anchor {
  readonly #path: string;
  #file: number | undefined;
  /** Committed records that are not in the file yet. */
  readonly #owed = new Map<string, AnchorRecord>();
  readonly #names = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Marks everything before as settled. A file that was lost and only appended to since has no such
   * mark. A restart also makes all earlier records invalid.
   */
  begin(records: readonly AnchorRecord[] = [], isRestart = false): void {
    const file = openToAppend(this.#path);
    try {
      const lines = records.map((record) => writeRecord(record)).join("");
      writeSync(file, `${isRestart ? RESTART : ""}${lines}${BEGINNING}`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncFolder(dirname(this.#path));
  }

  /** Names the database and the node of the records that follow. */
  introduce(database: string, node: string | null): void {
    try {
      this.#file ??= openToAppend(this.#path);
      writeSync(this.#file, `${ORIGIN}${database} ${node ?? "-"}`);
    } catch {
      // As for records: the commit is durable without it.
    }
  }

  /**
   * Never fails: the commit is durable without it, and an unwritten record is written with the
   * next.
   */
  write(records: readonly AnchorRecord[]): void {
    for (const record of records) this.#owed.set(record.id, record);
    if (this.#owed.size === 0) return;
    let text = "";
    for (const record of this.#owed.values()) text += writeRecord(record, this.#nameOf(record.id));
    try {
      this.#file ??= openToAppend(this.#path);
      if (writeSync(this.#file, text) === text.length) this.#owed.clear();
    } catch {
      // A record that a full disk cut short ends at the next line break, and readers skip it.
    }
  }

  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    const name = nameOf(id);
    this.#names.set(id, name);
    return name;
  }

  close(): void {
    this.write([]);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

type AnchorLine =
  | ({ readonly kind: "record" } & AnchorRecord)
  | { readonly kind: "beginning" | "restart" }
  | { readonly kind: "origin"; readonly database: string; readonly node: string | null }
  | { readonly kind: "malformed"; readonly isLast: boolean };

/** All lines of the file, in order. Throws only if the file system does. */
export function* readAnchor(path: string): Generator<AnchorLine> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(1 << 16);
    let rest = "";
    for (;;) {
      const size = readSync(file, chunk);
      const lines = (rest + chunk.toString("latin1", 0, size)).split(BREAKS);
      rest = size === 0 ? "" : (lines.pop() ?? "");
      for (const [index, line] of lines.entries()) {
        if (line !== "") yield readLine(line, size === 0 && index === lines.length - 1);
      }
      if (size === 0) return;
    }
  } finally {
    closeSync(file);
  }
}

/** The stored data that belongs to a record. */
interface StoredEnd {
  readonly hasStream: boolean;
  /** The hash of the event; null if it is missing. */
  readonly hash: string | null;
  /** The last event of a purged stream. */
  readonly tombstone: { readonly seq: number; readonly hash: string } | null;
}

/** Describes what is wrong with an acknowledged event; undefined if it is stored as it was acknowledged. */
export function compareAnchored(
  record: AnchorRecord,
  { hasStream, hash, tombstone }: StoredEnd,
): string | undefined {
  const { seq } = record;
  if (hash !== null) {
    return isAnchored(record, hash)
      ? undefined
      : `event ${seq} is not the one that was acknowledged`;
  }
  const isPurged =
    tombstone !== null &&
    (seq < tombstone.seq || (seq === tombstone.seq && isAnchored(record, tombstone.hash)));
  if (isPurged) return undefined;
  if (hasStream) return `event ${seq} was acknowledged and is missing`;
  return tombstone
    ? "it was purged, but not as it was acknowledged"
    : "it was acknowledged and is missing";
}

function isAnchored(record: AnchorRecord, hash: string): boolean {
  return hash.startsWith(record.hash.slice(0, HASH_HEX));
}

/** Each record starts with a line break, so that a record cut short damages no other. */
const BEGINNING = "\nbelay-anchor 1";
/** A power cut can leave zeros where other lines were, also after the beginning of one. */
const BREAKS = /[\n\0]+/;
/** Records before it do not count any more. */
const RESTART = "\nbelay-anchor restart";
/** The origin of the records that follow, in an anchor of one of several nodes. */
const ORIGIN = "\nbelay-anchor of ";
const RECORD = /^(?:([A-Za-z0-9_-]{22})|\.([A-Za-z0-9_-]+)) (\d{1,15}) ([A-Za-z0-9_-]{22})$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HASH_HEX = 32;

/** The most streams whose names are cached, because they are written to repeatedly. */
const MOST_NAMES = 4096;

function nameOf(id: string): string {
  return UUID.test(id)
    ? Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url")
    : `.${Buffer.from(id).toString("base64url")}`;
}

function writeRecord({ id, seq, hash }: AnchorRecord, name = nameOf(id)): string {
  const half = Buffer.from(hash.slice(0, HASH_HEX), "hex").toString("base64url");
  return `\n${name} ${seq} ${half}`;
}

function readLine(line: string, isLast: boolean): AnchorLine {
  if (`\n${line}` === BEGINNING) return { kind: "beginning" };
  if (`\n${line}` === RESTART) return { kind: "restart" };
  if (`\n${line}`.startsWith(ORIGIN)) {
    const [database = "", node = "-"] = `\n${line}`.slice(ORIGIN.length).split(" ");
    return { kind: "origin", database, node: node === "-" ? null : node };
  }
  const [, uuid, name, seq, half] = RECORD.exec(line) ?? [];
  if (seq === undefined || half === undefined) return { kind: "malformed", isLast };
  const id =
    uuid === undefined
      ? Buffer.from(name ?? "", "base64url").toString()
      : Buffer.from(uuid, "base64url")
          .toString("hex")
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return {
    kind: "record",
    id,
    seq: Number(seq),
    hash: Buffer.from(half, "base64url").toString("hex"),
  };
}
