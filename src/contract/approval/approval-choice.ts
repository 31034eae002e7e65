import { z } from "zod";
import { CHOICE_KINDS } from "../vocabulary.ts";

/** An option that an agent offers, in its own words. */
export const ApprovalChoice = z.object({
  option_id: z.string(),
  name: z.string(),
  kind: z.enum(CHOICE_KINDS),
});
export type ApprovalChoice = Readonly<z.infer<typeof ApprovalChoice>>;
