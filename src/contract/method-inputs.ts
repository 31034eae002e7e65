import { z } from "zod";
import { SeqOrCursor } from "./event-cursor.ts";
import { Digest, IdempotencyKey, Name, SessionId, SessionRef } from "./ids.ts";
import { DURABILITIES, INTERFACES } from "./vocabulary.ts";

/** Inputs of methods of the library that are not operations. */

const Text = z.string().min(1);

const NEW_SESSION = {
  agent: Name,
  session_id: SessionId.optional(),
  purpose: z.string().optional(),
  title: z.string().optional(),
  task_id: Name.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  cwd: Text.optional(),
};

/** A new session of an agent. */
export const NewSession = z.strictObject(NEW_SESSION);
/** An existing session. */
export const ExistingSession = z.strictObject({ id: SessionRef });
export type SessionToRun = z.infer<typeof NewSession> | z.infer<typeof ExistingSession>;

export const RunInNewSession = z.strictObject({ ...NEW_SESSION, message: Text });
export const RunInSession = z.strictObject({ id: SessionRef, message: Text });
export type RunInNewSession = z.infer<typeof RunInNewSession>;
export type RunInSession = z.infer<typeof RunInSession>;
export type RunInput = RunInNewSession | RunInSession;

/** One step of a pipeline that an agent performs. */
export const AgentStep = z.strictObject({
  agent: Name,
  topic: Text.describe("The agent's first message"),
  mode: z
    .enum(["single", "interactive"])
    .optional()
    .describe(
      "`single` runs one turn; `interactive` waits until people have finished talking with the agent",
    ),
  session_id: SessionRef.optional().describe(
    "The session of a suspended step; the step continues in it",
  ),
  task_id: Name.optional(),
  cwd: Text.optional(),
});
export type AgentStep = z.infer<typeof AgentStep>;

export const FollowInput = z.strictObject({ id: SessionRef, after: SeqOrCursor });

/** A file to store with a session. */
export const NewFile = z.strictObject({
  id: SessionRef,
  name: Name,
  media_type: Name.optional().describe("For example text/markdown"),
  idempotency_key: IdempotencyKey.optional(),
});
export type NewFile = z.infer<typeof NewFile>;

export const KnownFile = z.strictObject({ id: SessionRef, digest: Digest });
export type KnownFile = z.infer<typeof KnownFile>;

/** Options of `openBelay` that are plain data. */
export const LibraryOptions = z.strictObject({
  home: Text.optional().describe("The data folder; default: BELAY_HOME, or ~/.belay"),
  durability: z
    .enum(DURABILITIES)
    .optional()
    .describe(
      "Acknowledged changes survive a power cut (`power`, the default) or only killed processes (`process`). It applies to a new data folder; a folder with the other setting is refused",
    ),
  owner: Name.optional(),
  actor: Name.optional().describe("The name recorded as the author of all changes"),
  interface: z.enum(INTERFACES).optional(),
  trace_id: Name.optional(),
});
export type LibraryOptions = z.infer<typeof LibraryOptions>;
