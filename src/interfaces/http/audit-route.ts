import { Readable } from "node:stream";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { SessionRef } from "../../contract/ids.ts";
import { timeField } from "../../contract/operations/operation.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { AUDIT_FORMATS, writeAuditLines } from "../../service/audit/write-audit-lines.ts";
import type { HttpParts, OwnRoute } from "./http-parts.ts";
import { readQuery } from "./streams/read-request.ts";

const Wanted = z.strictObject({
  format: z.enum(AUDIT_FORMATS).default("ndjson"),
  since: timeField("default: from the beginning"),
  id: SessionRef.optional(),
  everyone: z.enum(["true", "false"]).default("false").describe("for admins of the server"),
});

/** GET /audit/export streams the whole audit, to be kept elsewhere. */
export function auditRoute({ exportAudit, version }: HttpParts): OwnRoute {
  return {
    method: "GET",
    path: "/audit/export",
    doc: "Export the audit as NDJSON or CEF, each entry with its hash in the chain of its log",
    scope: "read",
    input: Wanted,
    output: "*/*",
    async handle({ request, reply, caller }) {
      const fields = Object.keys(Wanted.shape);
      const asked = Wanted.safeParse(readQuery(request, fields));
      if (!asked.success) {
        const message =
          "Invalid parameters. Use format=ndjson or format=cef, since=TIME, id=ID, and everyone=true or everyone=false.";
        throw new BelayError(refuse("invalid_input", message));
      }
      const { format, since, id, everyone } = asked.data;
      const wanted = {
        since: since === undefined ? 0 : readInstant(since),
        everyone: everyone === "true",
        ...(id !== undefined && { id }),
      };
      const lines = writeAuditLines(exportAudit(caller, wanted), format, version);
      // The first line is read before the headers are sent, so that a refusal can still set the status.
      const first = await lines.next();
      reply.type(
        format === "ndjson" ? "application/x-ndjson; charset=utf-8" : "text/plain; charset=utf-8",
      );
      return reply.send(Readable.from(chain(first, lines)));
    },
  };
}

async function* chain(first: IteratorResult<string>, rest: AsyncIterable<string>) {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
