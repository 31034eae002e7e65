import { z } from "zod";
import { ImportReport } from "../import-report.ts";
import { IMPORT_TOOLS } from "../vocabulary.ts";
import { type Operations, timeField } from "./operation.ts";

const Tool = z.enum(IMPORT_TOOLS);

export const importOperations = {
  imports: {
    kind: "query",
    scope: "admin",
    doc: "List the tools whose conversations can be imported, and where this machine keeps them",
    input: z.strictObject({}),
    output: z.object({
      tools: z.array(
        z.object({
          tool: Tool,
          path: z.string().describe("where the tool keeps its files"),
          found: z.boolean().describe("whether there are any"),
        }),
      ),
    }),
    errors: ["not_allowed"],
  },
  import_conversations: {
    kind: "command",
    scope: "admin",
    doc: "Import the conversations that a tool keeps on this machine. Importing again adds only what is new.",
    input: z.strictObject({
      tool: Tool,
      path: z
        .string()
        .min(1)
        .optional()
        .describe("file or folder; default: where the tool keeps its files. Not with a token"),
      dry_run: z.boolean().default(false).describe("only say what would be imported"),
      since: timeField("leave out conversations without a word since then"),
    }),
    output: ImportReport,
    errors: ["not_allowed"],
  },
} as const satisfies Operations;
