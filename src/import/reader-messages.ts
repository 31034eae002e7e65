import { z } from "zod";
import { Usage } from "../contract/events.ts";
import { ImportReport } from "../contract/import/import-report.ts";
import { TURN_OUTCOMES } from "../contract/vocabulary.ts";

/** The questions of a server to the process that reads an upload. It answers one after the other. */
export const ReaderRequest = z.discriminatedUnion("ask", [
  z.object({ ask: z.literal("next") }),
  z.object({
    ask: z.literal("branches"),
    stored: z.array(z.tuple([z.string().nullable(), z.string()])),
  }),
  z.object({ ask: z.literal("items"), branch: z.number().int(), turn: z.number().int() }),
  z.object({ ask: z.literal("more") }),
]);
export type ReaderRequest = z.infer<typeof ReaderRequest>;

const At = { at: z.number().nullable() };
const Item = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("prompt"), ...At, text: z.string().nullable() }),
  z.object({
    kind: z.literal("said"),
    ...At,
    as: z.enum(["message", "thought", "plan", "note"]),
    text: z.string(),
  }),
  z.object({
    kind: z.literal("called"),
    ...At,
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z.object({
    kind: z.literal("returned"),
    ...At,
    id: z.string(),
    failed: z.boolean(),
    output: z.string(),
  }),
  z.object({ kind: z.literal("compacted"), ...At, id: z.string(), summary: z.string() }),
  z.object({ kind: z.literal("used"), ...At, usage: Usage }),
  z.object({
    kind: z.literal("ended"),
    ...At,
    outcome: z.enum(TURN_OUTCOMES),
    error: z.string().nullable(),
  }),
]);

const Text = z.string().nullable();
const Answer = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("conversation"),
    id: z.string(),
    title: Text,
    cwd: Text,
    git_branch: Text,
    started_at: z.number().nullable(),
    updated_at: z.number().nullable(),
    agent: z.object({ name: z.string(), session_id: Text }),
    parent: z.object({ id: z.string(), call: Text }).nullable(),
    forked_from: Text,
    metadata: z.record(z.string(), z.string()),
  }),
  z.object({
    is: z.literal("observation"),
    line: z.number().int(),
    observation: z.record(z.string(), z.unknown()),
  }),
  z.object({ is: z.literal("end") }),
  z.object({
    is: z.literal("branches"),
    branches: z.array(
      z.object({
        key: Text,
        turns: z.array(z.string()),
        from: z.object({ branch: Text, turns: z.number().int() }).nullable(),
        current: z.boolean(),
      }),
    ),
  }),
  z.object({ is: z.literal("items"), items: z.array(Item), more: z.boolean() }),
  z.object({ is: z.literal("failed"), why: z.string() }),
]);
export type ReaderAnswer = z.infer<typeof Answer>;

/** An answer, with the damage that was found since the last one. Only the first places are listed. */
export const ReaderReply = z.object({
  answer: Answer,
  damage: ImportReport.shape.damage,
  damaged: z.number().int(),
});
export type ReaderReply = z.infer<typeof ReaderReply>;
