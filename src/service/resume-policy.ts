import { BelayError, refuse } from "../contract/errors.ts";
import { RESUME_POLICY, type ResumePolicy } from "../contract/limits.ts";

const MINUTE = 60_000;

/** The time within which a session may be resumed automatically: BELAY_RESUME_WINDOW, in minutes. */
export function resumePolicy(): ResumePolicy {
  const given = process.env.BELAY_RESUME_WINDOW;
  if (given === undefined || given === "") return RESUME_POLICY;
  const minutes = Number(given);
  if (Number.isFinite(minutes) && minutes > 0)
    return { ...RESUME_POLICY, idle_ms: minutes * MINUTE };
  const message = `Invalid BELAY_RESUME_WINDOW: "${given}". Give a number of minutes greater than 0.`;
  throw new BelayError(refuse("invalid_input", message, { variable: "BELAY_RESUME_WINDOW" }));
}
