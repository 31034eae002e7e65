import { BelayError } from "../../contract/errors.ts";
import { changeSession } from "../../service/change-session.ts";
import { everySession } from "../../service/read/every-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import type { ServiceContext } from "../../service/service-context.ts";

/** Resumes the sessions of one owner or of all whose suspension has ended. Returns those with messages to work on. */
export async function wakeDue(context: ServiceContext, of: string | null): Promise<FoundSession[]> {
  const waiting: FoundSession[] = [];
  for await (const { stream, head } of everySession(context.store, of, {
    status: ["suspended"],
    unsettled: true,
  })) {
    if (head.suspended_until === null || head.suspended_until > context.now()) continue;
    const { owner } = head;
    const caller = { owner, actor: "belay", interface: head.interface, trace_id: context.newId() };
    try {
      const woken = await changeSession(context, caller, {
        id: head.session_id,
        expected_version: stream.seq,
        commands: () => [{ type: "resume", interface: head.interface }],
      });
      if (woken.head.queue.length > 0) waiting.push(woken);
    } catch (error) {
      // Another process was faster, or a question must be answered first.
      if (!(error instanceof BelayError)) throw error;
    }
  }
  return waiting;
}
