import { parseJson } from "./columns.ts";
import { damaged } from "./storage-error.ts";

/** The last event of a log that opened an index row itself, by kind of row. */
export type OpenedPlaces = ReadonlyMap<string, number>;

export const NOTHING_OPENED: OpenedPlaces = new Map();

export function writeOpened(opened: OpenedPlaces): string | null {
  return opened.size === 0 ? null : JSON.stringify([...opened]);
}

export function readOpened(text: string | null, stream: string): OpenedPlaces {
  if (text === null) return NOTHING_OPENED;
  const pairs = parseJson(text, stream, "opened");
  if (!Array.isArray(pairs)) throw damaged(stream, "its opened rows are not a list");
  return new Map(
    pairs.map((pair: unknown) => {
      const [kind, seq]: unknown[] = Array.isArray(pair) ? pair : [];
      if (typeof kind === "string" && typeof seq === "number") return [kind, seq] as const;
      throw damaged(stream, "its opened rows have no place");
    }),
  );
}
