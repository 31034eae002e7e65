import type { Decided } from "../../../src/contract/approval/decided.ts";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { whoDecided } from "../session/log/name-door.ts";

/** Says in a sentence what was decided, by whom and from where. */
export function describeDecided(of: Decided, session_id: string): string {
  const { decision, always, by, note, interface: door } = of;
  const who = decision === "expired" ? "" : ` ${whoDecided(by, door, ownerIn(session_id))}`;
  const more = note === null || note === "" ? "" : `, with the note: ${visibleLine(note)}`;
  return `This question was ${decision}${always ? " always" : ""}${who}${more}.`;
}
