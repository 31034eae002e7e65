import { z } from "zod";
import { EFFECTS } from "../vocabulary.ts";

const Json = z.record(z.string(), z.unknown());
const Text = z.string();

export const Process = z.object({
  pid: z.number().int().positive(),
  start_time: z.number().nullable(),
  boot_id: Text.nullable(),
  node: Text.nullable().optional(),
  cmd: Text.nullable(),
  stdout_path: Text.nullable(),
  stderr_path: Text.nullable(),
});
export type Process = z.infer<typeof Process>;

export const RollbackStep = z.object({ title: Text, command: Text });
export type RollbackStep = z.infer<typeof RollbackStep>;

/** The declaration of an action, recorded before it runs. */
export const Intent = z.object({
  action_id: Text,
  turn_id: Text.nullable(),
  type: Text,
  effects: z.enum(EFFECTS),
  idempotent: z.boolean(),
  idempotency_key: Text.nullable(),
  detachable: z.boolean(),
  orphanable: z.boolean(),
  rollback: z.array(RollbackStep),
  /** Files that exist only while the action runs. Recovery removes them before it repeats the action. */
  temporary: z.array(Text).optional(),
  process: Process.nullable(),
  /** True if the process, rollback and files come from a caller who may run programs here. Older events lack it. */
  vouched: z.boolean().optional(),
  details: Json,
});
export type Intent = z.infer<typeof Intent>;
