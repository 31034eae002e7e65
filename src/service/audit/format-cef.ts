import type { AuditLine } from "../../contract/past.ts";
import { visibleJson } from "../../contract/visible-text.ts";

/** An entry of the audit as ArcSight's Common Event Format, which collectors of security events read. */
export function formatCef(line: AuditLine & { readonly stream: string }, version: string): string {
  const { type, actor, at, owner, id, kind, seq, hash, trace_id, stream, data } = line;
  const header = ["CEF:0", "Belay", "belay", version, type, type, String(severityOf(type))];
  const extension = {
    rt: String(Date.parse(at)),
    suser: actor,
    duser: owner,
    app: line.interface,
    act: typeof data.operation === "string" ? data.operation : type,
    outcome: type === "access.refused" ? "failure" : "success",
    externalId: `${stream}/${seq}`,
    cs1Label: kind,
    cs1: id,
    cs2Label: "hash",
    cs2: hash,
    ...(trace_id !== null && { cs3Label: "trace", cs3: trace_id }),
    ...(Object.keys(data).length > 0 && { msg: JSON.stringify(data) }),
  };
  const fields = Object.entries(extension).map(([name, value]) => `${name}=${escapeValue(value)}`);
  return `${header.map(escapeHeader).join("|")}|${fields.join(" ")}`;
}

/** From 0 to 10. */
function severityOf(type: string): number {
  if (type === "access.refused") return 6;
  if (/^(?:token|person|link|share)\.|^session\.(?:shared|unshared|purged)$/.test(type)) return 4;
  return 1;
}

function escapeHeader(text: string): string {
  return onOneLine(text).replaceAll("|", "\\|");
}

function escapeValue(text: string): string {
  return onOneLine(text).replaceAll("=", "\\=");
}

/** Escapes as JSON does: CEF writes line breaks and backslashes in the same way, and an entry must stay on one line. */
function onOneLine(text: string): string {
  return visibleJson(text).slice(1, -1).replaceAll('\\"', '"');
}
