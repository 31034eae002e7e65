import type { RunEvent } from "../../contract/run-event.ts";
import { createPlainText } from "./plain-text.ts";

interface Said {
  /** How far it has been told, in UTF-16 units. */
  end: number;
  /** Line breaks at its end, which wait until more comes. */
  breaks: string;
  isBegun: boolean;
  readonly plain: (piece: string) => string;
}

type Piece = Extract<RunEvent, { type: "message" | "thought" }>;

/** The part of each piece that has not been told before, without line breaks at the ends of the whole. */
export function createSaidText(): (piece: Piece) => string {
  const items = new Map<string, Said>();
  return ({ type, turn_id, item, offset, text }) => {
    const key = `${type} ${turn_id} ${item}`;
    const said = items.get(key) ?? {
      end: 0,
      breaks: "",
      isBegun: false,
      plain: createPlainText(),
    };
    items.set(key, said);
    const fresh = said.breaks + said.plain(text.slice(Math.max(0, said.end - offset)));
    said.end = Math.max(said.end, offset + text.length);
    const whole = said.isBegun ? fresh : fresh.replace(/^\n+/, "");
    const shown = whole.replace(/\n+$/, "");
    said.breaks = whole.slice(shown.length);
    said.isBegun ||= shown !== "";
    return shown;
  };
}
