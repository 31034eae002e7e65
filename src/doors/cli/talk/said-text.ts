import type { RunEvent } from "../../../contract/run-event.ts";
import { createVisibleStream } from "../../../contract/visible-text.ts";

interface Said {
  /** How much was shown, in UTF-16 units. */
  end: number;
  isBegun: boolean;
  readonly show: (piece: string) => string;
}

type Piece = Extract<RunEvent, { type: "message" | "thought" }>;

/** The part of each piece that was not shown before, without line breaks at the start and end of the whole text. */
export function createSaidText(): (piece: Piece) => string {
  const items = new Map<string, Said>();
  return ({ type, turn_id, item, offset, text }) => {
    const key = `${type} ${turn_id} ${item}`;
    const said = items.get(key) ?? { end: 0, isBegun: false, show: createVisibleStream() };
    items.set(key, said);
    const fresh = said.show(text.slice(Math.max(0, said.end - offset)));
    said.end = Math.max(said.end, offset + text.length);
    const shown = said.isBegun ? fresh : fresh.replace(/^\n+/, "");
    said.isBegun ||= shown !== "";
    return shown;
  };
}
