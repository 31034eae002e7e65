import type { Lineage } from "../../log/lineage.ts";
import { parseJson } from "./columns.ts";
import { damaged } from "./storage-error.ts";

export function writeLineage(lineage: Lineage): string | null {
  if (lineage.length === 0) return null;
  return JSON.stringify(lineage.map(({ sid, upto }) => [sid, upto]));
}

export function readLineage(text: string | null, stream: string): Lineage {
  if (text === null) return [];
  const pairs = parseJson(text, stream, "lineage");
  if (!Array.isArray(pairs)) throw damaged(stream, "its lineage is not a list");
  return pairs.map((pair: unknown) => {
    const [sid, upto]: unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof sid === "number" && typeof upto === "number") return { sid, upto };
    throw damaged(stream, "its lineage names no stream");
  });
}
