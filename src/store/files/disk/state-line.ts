import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { CheckedPatch } from "../../append-rules.ts";
import type { Content } from "../../content.ts";
import type { KeptPatch } from "../../scan/read-rows.ts";
import type { ListingValues } from "../../stream-store.ts";
import { readContent, writeContent } from "./event-line.ts";
import { damaged } from "./files-error.ts";
import { openLine, sealLine } from "./sealed-line.ts";

/** The first line of a stream's state. */
export interface Identity {
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly base: { readonly id: string; readonly seq: number } | null;
  /** Random; a fork has that of its parent. See `CommittedBlob`. */
  readonly salt: string;
}

export interface InheritedHead {
  readonly seq: number;
  readonly writer: string;
  readonly head: Content;
}

/** The second line of a fork: what it shares with its parent besides events. */
interface Inherited {
  readonly rows: readonly KeptPatch[];
  readonly heads: readonly InheritedHead[];
}

/** The line of one append. */
export interface AppendState {
  readonly seq: number;
  readonly listing: ListingValues;
  readonly names: readonly string[];
  /** The key of the request, its digest, and the events that answered it. */
  readonly idem: readonly [idem: string, digest: string, from: number, to: number] | null;
  /** Patches that no event opens. */
  readonly rows: readonly CheckedPatch[];
  readonly head: Content;
  /** True if the head is found by later readers of the past. */
  readonly due: boolean;
}

export function writeIdentity(stream: Identity): string {
  return `${sealLine(JSON.stringify({ stream }))}\n`;
}

export function readIdentity(text: string, id: string): Identity {
  const { stream }: { stream: Identity } = JSON.parse(opened(text, id));
  if (stream.id === id) return stream;
  throw damaged(id, `its folder belongs to ${stream.id}`);
}

export function writeInherited({ rows, heads }: Inherited): string {
  const patches = rows.map((row) => writePatch(row, { writer: row.writer }));
  const stored = heads.map(
    ({ seq, writer, head }) => `{${writeMembers({ seq, writer })},${writeContent("head", head)}}`,
  );
  const text = `{"inherited":{"rows":[${patches.join()}],"heads":[${stored.join()}]}}`;
  return `${sealLine(text)}\n`;
}

export function writeState(state: AppendState): string {
  const { seq, listing, names, idem, rows, head, due } = state;
  const members = writeMembers({ seq, due, listing, names, idem });
  const patches = rows.map((row) => writePatch(row, {})).join();
  return `${sealLine(`{${members},"rows":[${patches}],${writeContent("head", head)}}`)}\n`;
}

/** A line behind the first. */
export function readState(text: string, id: string): AppendState | Inherited {
  const line: ParsedState = JSON.parse(opened(text, id));
  if ("inherited" in line) {
    const { rows, heads } = line.inherited;
    return {
      rows: rows.map((row) => ({ ...readPatch(row), writer: row.writer })),
      heads: heads.map((stored) => {
        const { seq, writer } = stored;
        return { seq, writer, head: readContent(stored, "head") };
      }),
    };
  }
  const { seq, due, listing, names, idem } = line;
  const rows = line.rows.map(readPatch);
  return { seq, due, listing, names, idem, rows, head: readContent(line, "head") };
}

type ParsedPatch = Omit<CheckedPatch, "data">;
type ParsedState =
  | {
      readonly inherited: {
        readonly rows: readonly (ParsedPatch & { readonly writer: string })[];
        readonly heads: readonly Omit<InheritedHead, "head">[];
      };
    }
  | (Omit<AppendState, "rows" | "head"> & { readonly rows: readonly ParsedPatch[] });

function opened(text: string, id: string): string {
  const object = openLine(text);
  if (object !== null) return object;
  throw damaged(id, "a line of its state was changed after it was written");
}

function writePatch({ kind, place, nth, seq, key, data }: CheckedPatch, more: object): string {
  const members = writeMembers({ kind, place, nth, seq, key, ...more });
  return `{${members},${writeContent("data", data)}}`;
}

function readPatch(patch: ParsedPatch): CheckedPatch {
  const { kind, place, nth, seq, key } = patch;
  return { kind, place, nth, seq, key, data: readContent(patch, "data") };
}

function writeMembers(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}
