import { counted } from "../../../contract/import/describe-import.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";

/** Formats removed sessions for people. */

export function cleanup(value: Output<"cleanup">): string {
  const verb = value.dry_run ? "Would remove" : "Removed";
  const lines = [
    ...value.removed.map((id) => `${verb} ${id}`),
    ...purgedLines(value, value.dry_run ? "Would purge" : "Purged"),
    ...value.protected.map(({ session_id, because }) =>
      colors.dim(`Kept ${session_id}: ${visibleLine(because)}`),
    ),
    ...copiesLines(value),
    `${verb} ${counted(value.removed.length, "session")}. Protected from removal: ${value.protected.length}`,
    ...(value.removed.length > 0 && !value.dry_run
      ? ["Restore one within 7 days with: belay undelete ID"]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

export function purge(value: Output<"purge">): string {
  return `${[...purgedLines(value, "Purged"), ...copiesLines(value)].join("\n")}\n`;
}

function purgedLines({ purged, shared }: Output<"purge">, verb: string): string[] {
  return [
    ...purged.map((id) => `${verb} ${id}`),
    ...shared.map(
      ({ session_id, forks }) =>
        `Forks still contain events of ${session_id}: ${forks.map(visibleLine).join(", ")}`,
    ),
  ];
}

function copiesLines({ not_covered }: Output<"purge">): string[] {
  return not_covered.length > 0
    ? ["Backups and the agents' own transcripts are not purged. Remove them yourself."]
    : [];
}
