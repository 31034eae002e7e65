import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** A value of a JSON text with its position, so that the text around it can stay unchanged. */
export type JsonNode = JsonObject | JsonArray | JsonString | JsonOther;
interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonObject extends Span {
  readonly kind: "object";
  readonly children: readonly Member[];
}
export interface JsonArray extends Span {
  readonly kind: "array";
  readonly children: readonly JsonNode[];
}
interface JsonString extends Span {
  readonly kind: "string";
  readonly value: string;
}
interface JsonOther extends Span {
  readonly kind: "other";
}
/** From its key to the end of its value. */
export interface Member extends Span {
  readonly key: string;
  readonly value: JsonNode;
}

export class NotJson extends Error {}

/** Parses JSON as people write it in settings: with comments, trailing commas and a byte order mark. */
export function scanJsonc(text: string): JsonNode {
  const errors: ParseError[] = [];
  try {
    // A space instead of the mark keeps every position valid.
    const root = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
    if (root && errors.length === 0) return toNode(root);
  } catch (error) {
    if (error instanceof RangeError) throw new NotJson("it is nested too deeply");
    throw error;
  }
  throw describeFault(text, errors[0]);
}

function toNode({ type, value, offset: start, length, children = [] }: Node): JsonNode {
  const span = { start, end: start + length };
  if (type === "object") return { kind: "object", children: children.map(toMember), ...span };
  if (type === "array") return { kind: "array", children: children.map(toNode), ...span };
  return typeof value === "string"
    ? { kind: "string", value, ...span }
    : { kind: "other", ...span };
}

function toMember({ offset: start, length, children: [key, value] = [] }: Node): Member {
  if (!key || !value) throw new NotJson("a member has no value");
  return { key: String(key.value), value: toNode(value), start, end: start + length };
}

/** For example "line 3: comma expected". */
function describeFault(text: string, fault: ParseError | undefined): NotJson {
  if (!fault) return new NotJson("it is empty");
  const line = text.slice(0, fault.offset).split("\n").length;
  const words = printParseErrorCode(fault.error)
    .replaceAll(/(?!^)[A-Z]/g, " $&")
    .toLowerCase();
  return new NotJson(`line ${line}: ${words}`);
}
