import type { Decided, NewDecision } from "../../../contract/approval/decided.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import { localTime } from "./table.ts";

const PAINT = {
  approved: colors.green,
  rejected: colors.red,
  expired: colors.yellow,
} as const satisfies Record<Decided["decision"], (text: string) => string>;

/** How an approval was closed, by whom, from where, and with which note. */
export function decidedLine({ decision, always, by, interface: door, ...more }: Decided): string {
  const word = PAINT[decision](always ? `${decision} always` : decision);
  const note = more.note === null || more.note === "" ? "" : `: ${visibleLine(more.note)}`;
  const chosen = more.choice ? ` (${visibleLine(more.choice.name)})` : "";
  const who = decision === "expired" ? "" : ` by ${visibleLine(by)} through ${door}`;
  return `${word}${chosen}${who}, ${localTime(more.decided_at)}${note}`;
}

/** The decisions that an agent may not know yet, a line each. */
export function decisionLines(decisions: readonly NewDecision[] = []): string[] {
  return decisions.map((each) => `${visibleLine(each.title)}: ${decidedLine(each)}`);
}
