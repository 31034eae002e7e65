import { Readable } from "node:stream";
import { z } from "zod";
import { ImportReport } from "../../contract/import-report.ts";
import { timeField } from "../../contract/operations/operation.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { IMPORT_TOOLS } from "../../contract/vocabulary.ts";
import { parseObject } from "../../service/parse-input.ts";
import type { HttpParts, OwnRoute } from "./http-parts.ts";
import { readFields, readQuery } from "./streams/read-request.ts";

const Tool = z.enum(IMPORT_TOOLS);
const DryRun = z.boolean().default(false).describe("only say what would be imported");
const FromHome = z.strictObject({
  tool: Tool,
  dry_run: DryRun,
  since: timeField("leave out conversations without a word since then"),
});
const Upload = z.strictObject({
  tool: Tool,
  name: z.string().min(1).describe("of the file, as the tool calls it"),
  dry_run: DryRun,
});

/** Conversations of other tools become sessions: those on the server's machine, or in a file that is sent. */
export function importRoutes({ imports }: HttpParts): OwnRoute[] {
  return [
    {
      method: "GET",
      path: "/imports",
      doc: "List the tools whose conversations can be imported, and where this machine keeps them",
      scope: "admin",
      output: z.object({
        tools: z.array(z.object({ tool: Tool, path: z.string(), found: z.boolean() })),
      }),
      async handle({ request, caller }) {
        readQuery(request, []);
        return { tools: await imports.places(caller) };
      },
    },
    {
      method: "POST",
      path: "/imports/:tool",
      doc: "Import the conversations that a tool keeps on the server's machine. Importing again adds only what is new.",
      scope: "admin",
      input: FromHome,
      output: ImportReport,
      async handle(call) {
        const { tool, dry_run, since } = parseObject(FromHome, readFields(call));
        const from = since === undefined ? null : readInstant(since);
        return imports.run(call.caller, tool, { dry_run, since: from });
      },
    },
    {
      method: "POST",
      path: "/imports/:tool/files",
      doc: "Import the conversations of one file. The body is the file itself, at most 64 MB.",
      scope: "write",
      takes: "bytes",
      input: Upload,
      output: ImportReport,
      async handle({ request, caller, body }) {
        const { name, dry_run } = readQuery(request, ["name", "dry_run"]);
        const { tool } = z.object({ tool: z.unknown() }).parse(request.params);
        const asked = parseObject(Upload, { tool, name, dry_run: dry_run === "true" });
        const bytes = body instanceof Readable ? body : Readable.from([]);
        return imports.upload(caller, asked.tool, { name: asked.name, bytes }, asked);
      },
    },
  ];
}
