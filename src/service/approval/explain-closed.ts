import type { Decided } from "../../contract/approval/decided.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { readApproval } from "./read-decided-approvals.ts";

/** The same operation, but an answer that comes too late is told which answer counted, and whose it was. */
export function explainClosed<Context extends ServiceContext, Input, Output>(
  answer: (context: Context, input: Input, caller: Caller) => Promise<Output>,
): typeof answer {
  return async (context, input, caller) => {
    try {
      return await answer(context, input, caller);
    } catch (error) {
      if (!(error instanceof BelayError) || error.code !== "approval_closed") throw error;
      // The refusal has the whole id, of which the caller may have given a part.
      const { approval_id } = error.details;
      throw (await describeAnswer(context, caller, String(approval_id))) ?? error;
    }
  };
}

/** Null if nobody answered. */
async function describeAnswer(
  { store }: ServiceContext,
  { owner }: Caller,
  approval_id: string,
): Promise<BelayError | null> {
  const [place] = await store.findByName(owner, `approval:${approval_id}`, { limit: 1 });
  const stream = place && (await loadStream(store, { id: place.id }));
  if (!place || !stream || !isSessionHead(stream.head)) return null;
  const { id, head, lease } = stream;
  const { decided } = await readApproval(store, { id, head, lease }, approval_id, place.seq);
  if (decided === null || decided.decision === "expired") return null;
  const details = { approval_id, session_id: head.session_id, decided };
  return new BelayError(refuse("approval_closed", describeDecided(decided), details));
}

function describeDecided({ decision, always, by, note, decided_at, ...how }: Decided): string {
  const chosen = how.choice ? ` (${how.choice.name})` : "";
  const what = `${decision}${always ? " always" : ""}${chosen} by ${by} through ${how.interface}`;
  const more = note === null || note === "" ? "" : `, with the note: ${note}`;
  return `This question was already answered: ${what} at ${decided_at}${more}`;
}
