import { z } from "zod";
import { DECISIONS } from "../vocabulary.ts";
import { ApprovalChoice } from "./approval-choice.ts";

/** How an approval was closed, by whom and from where. */
export const Decided = z.object({
  decision: z.enum([...DECISIONS, "expired"]),
  note: z.string().nullable().describe("the person's note, or why it expired"),
  always: z.boolean().describe("true if the answer also covers similar requests"),
  choice: ApprovalChoice.optional().describe("the agent's option that was chosen"),
  by: z.string().describe("who decided, such as user:ann, person:ann or token:ci"),
  interface: z.string().describe("where the answer came from"),
  decided_at: z.string().describe("ISO 8601, UTC"),
});
export type Decided = z.infer<typeof Decided>;

/** A decision that an agent may not know yet. */
export const NewDecision = z.object({
  approval_id: z.string(),
  kind: z.string(),
  title: z.string(),
  ...Decided.shape,
});
export type NewDecision = z.infer<typeof NewDecision>;
