import { z } from "zod";
import { MERGE_SIDES } from "../vocabulary.ts";

const Json = z.record(z.string(), z.unknown());
const Text = z.string();

/** Events of a session, by their numbers in its log. */
const LogRange = z.object({
  session_id: Text,
  entity_id: Text,
  after: z.number().int(),
  to: z.number().int(),
});
export type LogRange = z.infer<typeof LogRange>;

/** A value that both sides of a merge changed. `other` is the value that was not chosen. */
const SettledConflict = z.object({
  kind: z.enum(["metadata", "checkpoint"]),
  name: Text,
  taken: z.enum(MERGE_SIDES),
  other: z.unknown(),
});
export type SettledConflict = z.infer<typeof SettledConflict>;

/**
 * The work that a merge brings from another session of the same lineage. Turns and actions stay in
 * the other log, in the range `from`; items that are looked up by name are listed here.
 */
export const MergedWork = z.object({
  from: LogRange,
  /** The same range by the sessions that own its events, including ranges merged there before. */
  covers: z.array(LogRange),
  turns: z.number().int(),
  actions: z.number().int(),
  conflicts: z.array(SettledConflict),
  metadata: Json,
  /**
   * Each row is a copy from the other session's index. Without a key it is only found by its id.
   */
  checkpoints: z.array(z.object({ key: Text.nullable(), row: Json })),
  artifacts: z.array(Json),
  outcomes: z.array(z.object({ key: Text.nullable(), row: Json })),
  summary: Text.nullable(),
});
export type MergedWork = z.infer<typeof MergedWork>;
