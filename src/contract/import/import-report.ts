import { z } from "zod";
import { IMPORT_TOOLS } from "../vocabulary.ts";

const Count = z.number().int().min(0);

/** The result of an import; with dry_run, the expected result. */
export const ImportReport = z.object({
  tool: z.enum(IMPORT_TOOLS),
  dry_run: z.boolean(),
  files: Count.describe("files read"),
  conversations: Count,
  new_sessions: Count,
  grown_sessions: Count.describe("already imported sessions with new turns"),
  known_sessions: Count.describe("sessions with nothing new"),
  turns: Count.describe("turns added"),
  sessions: z
    .array(
      z.object({
        session_id: z.string(),
        title: z.string().nullable(),
        state: z.enum(["new", "grown", "known", "kept"]),
        turns: Count,
        why: z.string().nullable().describe("why the session was not changed"),
      }),
    )
    .describe("new sessions, sessions with new turns, and skipped sessions; at most 1000"),
  damage: z
    .array(z.object({ file: z.string(), line: z.number().int().nullable(), why: z.string() }))
    .describe("damaged places in the files; at most 1000"),
  damaged: Count.describe("number of all damaged places"),
});
/** The progress of an import. */
export const ImportProgress = z.object({
  files: Count.describe("files finished so far"),
  total: Count.describe("files in total"),
  sessions: Count.describe("sessions so far"),
  turns: Count,
});
export type ImportProgress = z.infer<typeof ImportProgress>;

export type ImportReport = z.infer<typeof ImportReport>;
