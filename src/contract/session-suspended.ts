import { BelayError, refuse } from "./errors.ts";

/** The step waits for a person. The pipeline continues later, with this session. */
export class SessionSuspended extends BelayError {
  readonly session_id: string;

  constructor(session_id: string, why: string) {
    const message = `${why}. When people have completed the conversation, call the step again with session_id ${session_id}.`;
    super(refuse("session_suspended", message, { session_id }));
    this.name = "SessionSuspended";
    this.session_id = session_id;
  }
}
