import { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLString } from "graphql";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { ownerIn } from "../../contract/id-pattern.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { Artifact, Session, Task, Turn } from "../../contract/session.ts";
import type { MoreFields } from "./derived-types.ts";

const Lines = OPERATIONS.list_checkpoints.output.shape.checkpoints;

/** Fields of an AgentSession that are not part of the session itself, read only on request. */
export const agentSessionFields: MoreFields = (types) => {
  const last = { type: GraphQLInt, defaultValue: LIMITS.PAGE.default };
  // The types listed here have names of their own.
  const listOf = (schema: z.ZodType) => new GraphQLList(types.output(schema, "", ""));
  return {
    history: {
      description: "The transcript: the newest turns, or the newest before a seq; oldest first",
      type: listOf(Turn),
      args: { last, before: { type: GraphQLInt } },
      resolve: (source, { last: limit, before }, { load, room }) =>
        room.add(
          load.turns.load({ id: idOf(source), limit: pageSize(limit), before: seqOf(before) }),
        ),
    },
    phases: {
      description: "Phase changes, oldest first; lists show the newest few",
      type: types.output(Session.shape.history, "", ""),
      resolve: (source) => (isRecord(source) ? source.history : undefined),
    },
    artifacts: {
      description: "The newest artifacts, oldest first",
      type: listOf(Artifact),
      args: { last },
      resolve: (source, { last: limit }, { load, room }) =>
        room.add(load.artifacts.load({ id: idOf(source), limit: pageSize(limit) })),
    },
    checkpoints: {
      description: "The newest checkpoints without their states, oldest first",
      type: new GraphQLNonNull(listOf(Lines.element)),
      args: { last },
      resolve: (source, { last: limit }, { load, room }) =>
        room.add(load.checkpoints.load({ id: idOf(source), limit: pageSize(limit) })),
    },
    task: {
      description: "The session's task; null if it has none, or belongs to another person",
      type: types.output(Task.nullable(), "", ""),
      resolve: (source, _args, { load }) =>
        isOthers(source) ? null : load.task.load(textOf(source, "task_id")),
    },
    cursor: {
      description: "The value of `after` for the next page. Set only on the last session of a page",
      type: GraphQLString,
      resolve: (source) => (isRecord(source) ? source.cursor : undefined),
    },
  };
};

function idOf(source: unknown): string {
  return textOf(source, "entity_id");
}

/** Tasks are not shared, and the caller may have another one of the same name. */
function isOthers(source: unknown): boolean {
  return ownerIn(textOf(source, "session_id")) !== null;
}

function textOf(source: unknown, field: string): string {
  const value = isRecord(source) ? source[field] : undefined;
  if (typeof value === "string") return value;
  throw new Error(`a session without ${field}`);
}

const Size = z.number().int().min(1).max(LIMITS.PAGE.max);

function pageSize(last: unknown): number {
  const size = Size.safeParse(last ?? LIMITS.PAGE.default);
  if (size.success) return size.data;
  const message = `last: must be a number from 1 to ${LIMITS.PAGE.max}.`;
  throw new BelayError(refuse("invalid_input", message, { field: "last" }));
}

function seqOf(before: unknown): number | undefined {
  if (before === undefined || before === null) return undefined;
  if (typeof before === "number" && before >= 1) return before;
  throw new BelayError(
    refuse("invalid_input", "before: must be a seq of 1 or more.", { field: "before" }),
  );
}
