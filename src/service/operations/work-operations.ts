import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { OperationName, Output, Parsed } from "../../contract/operations.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { DONE_ROW } from "../../core/session/index-session.ts";
import { readRows } from "../../store/read-streams.ts";
import { type ChangedSession, changeSession } from "../change-session.ts";
import { restoreCheckpoint } from "../checkpoint/restore-checkpoint.ts";
import { saveCheckpoint } from "../checkpoint/save-checkpoint.ts";
import { readDeclaredWork } from "../declared-work.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { findSession } from "../read/find-session.ts";
import { readCheckpoint, readCheckpointById, viewFiles } from "../read/read-checkpoint.ts";
import { showSession } from "../read/show-session.ts";
import { viewArtifact } from "../read/view-artifact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations with which an agent records its work. */
export const workOperations = {
  async record_turn(context: ServiceContext, input: Parsed<"record_turn">, caller: Caller) {
    const turn_id = input.turn_id ?? idFor(context, caller, retryOf("record_turn", input));
    const { stream } = await change(context, "record_turn", input, caller, [
      {
        type: "record_turn",
        turn_id,
        input: input.input,
        output: input.output,
        usage: input.usage ?? null,
      },
    ]);
    return { session_id: stream.key, turn_id, version: stream.seq };
  },

  async begin_action(context: ServiceContext, input: Parsed<"begin_action">, caller: Caller) {
    const action_id = input.action_id ?? idFor(context, caller, retryOf("begin_action", input));
    const command = {
      type: "begin_action",
      action_id,
      turn_id: null,
      action_type: input.type,
      effects: input.effects,
      idempotent: input.idempotent,
      idempotency_key: input.action_key ?? null,
      detachable: input.detachable,
      orphanable: input.orphanable,
      ...(await readDeclaredWork(context, input, caller)),
      details: input.details,
    } as const;
    const query = { kind: DONE_ROW, key: action_id, before: Number.MAX_SAFE_INTEGER, limit: 1 };
    const begun = changeSession(context, caller, {
      id: input.id,
      expected_version: input.expected_version,
      retry: retryOf("begin_action", input),
      // A new id names no earlier action.
      reads: input.action_id === undefined ? [] : [{ stream: 0, query }],
      commands: (_, { rows }) => [{ ...command, done: placeIn(rows[0]?.[0]) }],
    });
    const { stream } = await begun.catch(async (error) => {
      throw await withResult(context, input.id, caller, error);
    });
    return { session_id: stream.key, action_id, version: stream.seq };
  },

  async complete_action(context: ServiceContext, input: Parsed<"complete_action">, caller: Caller) {
    const { action_id, status, result, details } = input;
    const { stream } = await change(context, "complete_action", input, caller, [
      { type: "complete_action", action_id, status, result, details },
    ]);
    return { session_id: stream.key, action_id, version: stream.seq };
  },

  async record_outcome(context: ServiceContext, input: Parsed<"record_outcome">, caller: Caller) {
    const { type, outcome_id = null, details } = input;
    const changed = await change(context, "record_outcome", input, caller, [
      { type: "record_outcome", outcome: type, id: outcome_id, details },
    ]);
    return showSession(context, changed);
  },

  async record_artifact(context: ServiceContext, input: Parsed<"record_artifact">, caller: Caller) {
    const artifact_id = idFor(context, caller, retryOf("record_artifact", input));
    const { name, uri = null, media_type = null, details } = input;
    const { stream } = await change(context, "record_artifact", input, caller, [
      { type: "record_artifact", artifact_id, name, uri, media_type, details },
    ]);
    return { session_id: stream.key, artifact_id };
  },

  async list_artifacts(
    context: ServiceContext,
    input: Parsed<"list_artifacts">,
    caller: Caller,
  ): Promise<Output<"list_artifacts">> {
    const { stream } = await findSession(context, caller.owner, input.id);
    const { after, limit } = input;
    const query = { kind: "artifact", after, limit, bytes: LIMITS.PAGE_BYTES };
    const rows = await readRows(context.store, stream.id, query);
    const next = rows.at(-1)?.place ?? 0;
    const more = await readRows(context.store, stream.id, { ...query, after: next, limit: 1 });
    const isLast = rows.length === 0 || more.length === 0;
    return { artifacts: rows.flatMap(viewArtifact), next_cursor: isLast ? null : next };
  },

  save_checkpoint: saveCheckpoint,

  async list_checkpoints(
    context: ServiceContext,
    input: Parsed<"list_checkpoints">,
    caller: Caller,
  ): Promise<Output<"list_checkpoints">> {
    const { stream } = await findSession(context, caller.owner, input.id);
    const { after, limit } = input;
    const rows = await readRows(context.store, stream.id, { kind: "checkpoint", after, limit });
    return {
      checkpoints: rows.map(({ data }) => ({
        name: String(data.name),
        checkpoint_id: typeof data.checkpoint_id === "string" ? data.checkpoint_id : null,
        timestamp: String(data.timestamp),
        ...viewFiles(data),
        ...(typeof data.merged_from === "string" && { merged_from: data.merged_from }),
      })),
      next_cursor: rows.length < limit ? null : (rows.at(-1)?.place ?? null),
    };
  },

  async show_checkpoint(context: ServiceContext, input: Parsed<"show_checkpoint">, caller: Caller) {
    const { id, name } = input;
    if (id === undefined) return readCheckpointById(context.store, caller.owner, name);
    const { stream } = await findSession(context, caller.owner, id);
    return readCheckpoint(context.store, stream.id, name);
  },

  restore_checkpoint: restoreCheckpoint,
};

function placeIn(row: StoredRow | undefined): number | undefined {
  return typeof row?.data.place === "number" ? row.data.place : undefined;
}

/** The same error or, for an action that was completed before, one with its result. */
async function withResult(
  context: ServiceContext,
  id: string,
  caller: Caller,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof BelayError) || error.code !== "action_exists") return error;
  const { action_id, place } = error.details;
  if (typeof place !== "number") return error;
  const { stream } = await findSession(context, caller.owner, id);
  const query = { kind: "action", after: place - 1, limit: 1 };
  const [row] = await readRows(context.store, stream.id, query);
  const { status, result, ended_at, output = {} } = row?.data ?? {};
  const details = { action_id, status, result, ended_at, output };
  return new BelayError(refuse(error.code, error.message, details));
}

function change(
  context: ServiceContext,
  operation: OperationName,
  input: Parameters<typeof retryOf>[1] & { id: string; expected_version?: number | undefined },
  caller: Caller,
  commands: readonly SessionCommand[],
): Promise<ChangedSession> {
  const { id, expected_version } = input;
  const retry = retryOf(operation, input);
  return changeSession(context, caller, {
    id,
    commands: () => commands,
    expected_version,
    retry,
  });
}
