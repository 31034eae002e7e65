import { z } from "zod";
import { IMPORT_TOOLS } from "./vocabulary.ts";

const Count = z.number().int().min(0);

/** The result of an import; with dry_run, the expected result. */
export const ImportReport = z.object({
  tool: z.enum(IMPORT_TOOLS),
  dry_run: z.boolean(),
  files: Count.describe("files that were read"),
  conversations: Count,
  new_sessions: Count,
  grown_sessions: Count.describe("sessions that were imported before and have new turns"),
  known_sessions: Count.describe("sessions without anything new"),
  turns: Count.describe("turns that were added"),
  sessions: z
    .array(
      z.object({
        session_id: z.string(),
        title: z.string().nullable(),
        state: z.enum(["new", "grown", "known", "kept"]),
        turns: Count,
        why: z.string().nullable().describe("why the session was left as it is"),
      }),
    )
    .describe("new and grown sessions, and those that were left alone; at most 1000"),
  damage: z
    .array(z.object({ file: z.string(), line: z.number().int().nullable(), why: z.string() }))
    .describe("what could not be read as it stands; at most 1000"),
  damaged: Count.describe("all of it"),
});
/** The progress of an import. */
export const ImportProgress = z.object({
  files: Count.describe("files that are done"),
  total: Count.describe("files that there are"),
  sessions: Count.describe("sessions of conversations so far"),
  turns: Count,
});
export type ImportProgress = z.infer<typeof ImportProgress>;

export type ImportReport = z.infer<typeof ImportReport>;
