import { z } from "zod";

/** An agent as a list of agents shows it: what would run, and what stands in its way. */
export const AgentInfo = z.object({
  name: z.string(),
  source: z.enum(["preset", "user", "workspace"]),
  /** As one line; empty where nothing can be read. */
  command: z.string(),
  installed: z.boolean(),
  /** Where the command was found. */
  path: z.string().nullable(),
  /** Only what a workspace's file says has to be trusted. */
  trusted: z.boolean(),
  problem: z.string().nullable(),
  /** How to install it, to trust it, or to log in. */
  hint: z.string().nullable(),
});
export type AgentInfo = z.infer<typeof AgentInfo>;
