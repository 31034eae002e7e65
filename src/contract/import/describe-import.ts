import type { ImportReport } from "./import-report.ts";

/** Describes the result of an import in one sentence. */
export function describeImport(report: ImportReport): string {
  const { dry_run, turns, conversations, files, damaged } = report;
  const parts = [
    ...(report.new_sessions > 0 ? [counted(report.new_sessions, "new session")] : []),
    ...(report.grown_sessions > 0 ? [`${report.grown_sessions} with new turns`] : []),
    ...(report.known_sessions > 0 ? [`${report.known_sessions} unchanged`] : []),
    ...(damaged > 0 ? [counted(damaged, "damaged place")] : []),
  ];
  const from = `${counted(conversations, "conversation")} in ${counted(files, "file")}`;
  const what = parts.length > 0 ? `: ${parts.join(", ")}` : "";
  return `${dry_run ? "Would import" : "Imported"} ${counted(turns, "turn")} from ${from}${what}.`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
