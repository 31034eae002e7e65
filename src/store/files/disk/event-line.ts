import type { Content } from "../../content.ts";
import { type EventMeta, hashEvent } from "../../log/hash-event.ts";
import { damaged } from "./files-error.ts";

/** An event as its line in the log says it. */
export interface EventLine {
  readonly meta: EventMeta;
  readonly body: Content;
  readonly hash: string;
  /** The stream that wrote it; for an inherited event, an ancestor. */
  readonly writer: string;
}

export function writeEventLine({ meta, body, hash, writer }: EventLine): string {
  const { idem, digest, span, opens, row_key, ...plain } = meta;
  const fields = {
    ...plain,
    writer,
    ...(idem !== null && { idem, digest, span }),
    ...(opens !== null && { opens, row_key }),
  };
  return `${JSON.stringify(fields).slice(0, -1)},${writeContent("data", body)},"hash":"${hash}"}\n`;
}

/** Checks the line against its hash, which covers the previous one. */
export function readEventLine(text: string, previous: string, stream: string): EventLine {
  const line = parse(text, stream);
  const { seq, type, at, actor, trace_id, writer, hash } = line;
  const { idem = null, digest = null, span = null, opens = null, row_key = null } = line;
  const row = { idem, digest, span, opens, row_key };
  const meta = { seq, type, at, actor, interface: line.interface, trace_id, ...row };
  const body = readContent(line, "data");
  if (hashEvent(previous, writer, meta, body) === hash) return { meta, body, hash, writer };
  throw damaged(stream, `event ${seq} was changed after it was written`);
}

interface ParsedLine extends Partial<EventMeta> {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  readonly writer: string;
  readonly hash: string;
  readonly data?: unknown;
  readonly data_bytes?: string;
}

function parse(text: string, stream: string): ParsedLine {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(stream, "a line of its log is not JSON");
  }
}

/** A member of an object in JSON: the content as it is, or its bytes in base64. */
export function writeContent(name: string, content: Content): string {
  if (typeof content === "string") return `"${name}":${content}`;
  return `"${name}_bytes":"${Buffer.from(content).toString("base64")}"`;
}

export function readContent(object: object, name: "data" | "head"): Content {
  const members: Readonly<Record<string, unknown>> = { ...object };
  const bytes = members[`${name}_bytes`];
  if (typeof bytes === "string") return Uint8Array.from(Buffer.from(bytes, "base64"));
  return JSON.stringify(members[name] ?? null);
}
