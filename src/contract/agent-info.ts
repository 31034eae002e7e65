import { z } from "zod";

/**
 * An agent as a list of agents shows it: its command, and any problem that keeps it from running.
 */
export const AgentInfo = z.object({
  name: z.string(),
  source: z.enum(["preset", "user", "workspace"]),
  /** The command as one line; empty if it cannot be read. */
  command: z.string(),
  installed: z.boolean(),
  /** The path where the command was found. */
  path: z.string().nullable(),
  /** Only a command from a workspace's file needs to be trusted. */
  trusted: z.boolean(),
  problem: z.string().nullable(),
  /** Instructions to install it, trust it or log in. */
  hint: z.string().nullable(),
});
export type AgentInfo = z.infer<typeof AgentInfo>;
