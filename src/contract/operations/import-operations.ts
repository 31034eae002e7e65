import { z } from "zod";
import { ImportReport } from "../import/import-report.ts";
import { IMPORT_TOOLS } from "../vocabulary.ts";
import { type Operations, timeField } from "./operation.ts";

const Tool = z.enum(IMPORT_TOOLS);

export const importOperations = {
  imports: {
    kind: "query",
    scope: "admin",
    doc: "List the tools to import from, and where their conversations are on this machine",
    input: z.strictObject({}),
    output: z.object({
      tools: z.array(
        z.object({
          tool: Tool,
          path: z.string().describe("where the tool keeps its files"),
          found: z.boolean().describe("whether that place exists"),
        }),
      ),
    }),
    errors: ["not_allowed"],
  },
  import_conversations: {
    kind: "command",
    scope: "admin",
    doc: "Import a tool's conversations from this machine; a second import adds only what is new",
    input: z.strictObject({
      tool: Tool,
      path: z
        .string()
        .min(1)
        .optional()
        .describe(
          "a file or folder; default: where the tool keeps its files. Not allowed with a token",
        ),
      dry_run: z.boolean().default(false).describe("only show what would be imported"),
      since: timeField("skip conversations with no activity since then"),
    }),
    output: ImportReport,
    errors: ["not_allowed"],
  },
} as const satisfies Operations;
