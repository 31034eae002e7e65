import { visibleJson } from "../../contract/visible-text.ts";
import type { ExportedLine } from "./export-audit.ts";
import { formatCef } from "./format-cef.ts";

export const AUDIT_FORMATS = ["ndjson", "cef"] as const;

/** Formats an exported audit. CEF has no line for the end of a chain; each entry has its own hash. */
export async function* writeAuditLines(
  lines: AsyncIterable<ExportedLine>,
  format: (typeof AUDIT_FORMATS)[number],
  version: string,
): AsyncGenerator<string> {
  for await (const line of lines) {
    if (format === "ndjson") yield `${visibleJson(line)}\n`;
    else if (!("chain" in line)) yield `${formatCef(line, version)}\n`;
  }
}
