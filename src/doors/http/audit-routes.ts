import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { Name, SessionRef } from "../../contract/ids.ts";
import { timeField } from "../../contract/operations/operation.ts";
import { AuditProof } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { AUDIT_KINDS } from "../../contract/vocabulary.ts";
import { proveAudit } from "../../service/audit/export-audit.ts";
import { AUDIT_FORMATS, writeAuditLines } from "../../service/audit/write-audit-lines.ts";
import type { HttpParts, OwnRoute } from "./http-parts.ts";
import { readQuery } from "./streams/read-request.ts";

const Wanted = z.strictObject({
  format: z.enum(AUDIT_FORMATS).default("ndjson"),
  since: timeField("default: from the beginning"),
  id: SessionRef.optional(),
  everyone: z.enum(["true", "false"]).default("false").describe("for admins of the server"),
  person: Name.optional().describe("only entries of this person"),
  what: z.enum(AUDIT_KINDS).optional().describe("only changes, reads or refusals"),
});

const Checked = Wanted.pick({ id: true, everyone: true });

const USAGE: Readonly<Record<string, string>> = {
  format: "format=ndjson or format=cef",
  since: "since=TIME",
  id: "id=ID",
  everyone: "everyone=true or everyone=false",
  person: "person=NAME",
  what: `what=${AUDIT_KINDS.join(", what=")}`,
};

/** GET /audit/export streams the whole audit, to be kept elsewhere; GET /audit/check checks its hashes here. */
export function auditRoutes({ exportAudit, version }: HttpParts): OwnRoute[] {
  return [
    {
      method: "GET",
      path: "/audit/export",
      doc: "Export the audit as NDJSON or CEF, each entry with its hash in the chain of its log",
      scope: "read",
      input: Wanted,
      output: "*/*",
      async handle({ request, reply, caller }) {
        const { format, ...wanted } = readWanted(request, Wanted.shape);
        const lines = writeAuditLines(exportAudit(caller, wanted), format, version);
        // The first line is read before the headers are sent, so that a refusal can still set the status.
        const first = await lines.next();
        reply.type(
          format === "ndjson" ? "application/x-ndjson; charset=utf-8" : "text/plain; charset=utf-8",
        );
        return reply.send(Readable.from(chain(first, lines)));
      },
    },
    {
      method: "GET",
      path: "/audit/check",
      doc: "Check the chain of hashes of every log in the audit",
      scope: "read",
      input: Checked,
      output: AuditProof,
      async handle({ request, caller }) {
        const wanted = readWanted(request, Checked.shape);
        return proveAudit(exportAudit(caller, wanted));
      },
    },
  ];
}

function readWanted(request: FastifyRequest, shape: object) {
  const asked = Wanted.safeParse(readQuery(request, Object.keys(shape)));
  if (!asked.success) {
    const message = `Invalid parameters. Allowed: ${Object.keys(shape)
      .map((name) => USAGE[name])
      .join(", ")}.`;
    throw new BelayError(refuse("invalid_input", message));
  }
  const { since, everyone, ...rest } = asked.data;
  return {
    ...rest,
    since: since === undefined ? 0 : readInstant(since),
    everyone: everyone === "true",
  };
}

async function* chain(first: IteratorResult<string>, rest: AsyncIterable<string>) {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
