import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { Session } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { readEvents } from "../../store/read-streams.ts";
import { findSession } from "../read/find-session.ts";
import { showWholeSession } from "../read/show-session.ts";
import { finishInTurns } from "../redact/finish-in-turns.ts";
import { learnWhole } from "../redact/learn-secrets.ts";
import { redactEvents } from "../redact/redact-events.ts";
import { redactTwice } from "../redact/redact-twice.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** A page of a session for export, with or without its secrets. */
export async function exportSession(
  context: ServiceContext,
  { id, redact, after, limit }: Parsed<"export">,
  caller: Caller,
): Promise<Output<"export">> {
  const found = await findSession(context, caller.owner, id);
  const { stream } = found;
  const session = await showWholeSession(context, found);
  const page = { after, limit, bytes: LIMITS.PAGE_BYTES, chained: true };
  const events = (await readEvents(context.store, stream.id, page)).map(viewEvent);
  const last = events.at(-1)?.seq ?? null;
  const next_cursor = last !== null && last < stream.seq ? last : null;
  if (!redact) return { session, events, hidden: [], next_cursor };
  const show = async (redactor: Redactor): Promise<Output<"export">> => {
    const shown = Session.parse(await finishInTurns(redactor.valueInSteps(session)));
    const own = redactor.hidden.map((hidden) => ({ ...hidden, seq: null }));
    const redacted = await redactEvents(context.store, stream.id, events, redactor);
    const hidden = [...own, ...redacted.hidden];
    return { session: shown, events: redacted.events, hidden, next_cursor };
  };
  if (after === 0 && next_cursor === null) return redactTwice(context.variables ?? {}, show);
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  return show(openRedactor(context.variables ?? {}, await learnWhole(context.store, stream)));
}
