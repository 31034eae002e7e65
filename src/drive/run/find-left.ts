import { mayTakeUp } from "../../core/resume/should-resume.ts";
import type { ServiceContext } from "../../service/context.ts";
import { everySession } from "../../service/read/every-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { resumePolicy } from "../../service/resume-policy.ts";

/** The sessions, of all owners, with messages that nobody works on since whoever was to do it has gone. */
export async function findLeft({ store, now }: ServiceContext): Promise<FoundSession[]> {
  const left: FoundSession[] = [];
  for await (const found of everySession(store, null, { status: ["active"], unsettled: true })) {
    const { stream, head } = found;
    if (!stream.lease?.live && mayTakeUp(head, now(), resumePolicy())) left.push(found);
  }
  return left;
}
