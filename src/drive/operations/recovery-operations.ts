import type { Output, Parsed } from "../../contract/operations.ts";
import { explainClosed } from "../../service/approval/explain-closed.ts";
import type { Caller } from "../../service/service-context.ts";
import { answerRecovery } from "../recovery/answer-recovery.ts";
import type { DriveContext } from "../recovery/drive-context.ts";
import { PLAIN_RECOVERY } from "../recovery/drive-context.ts";
import { pastRecoveries } from "../recovery/past-recoveries.ts";
import { pendingRecoveries } from "../recovery/pending-recoveries.ts";
import { recoverAll } from "../recovery/recover-all.ts";
import { recoverSession } from "../recovery/recover-session.ts";

const MOST_PAST = 50;

/** Operations for recovery after a crash. */
export const recoveryOperations = {
  async recover(
    given: DriveContext,
    { id, dry_run, force, continue: goesOn }: Parsed<"recover">,
    caller: Caller,
  ): Promise<Output<"recover">> {
    const recovery = given.recovery ?? PLAIN_RECOVERY;
    const context = goesOn ? { ...given, recovery: { ...recovery, continues: true } } : given;
    if (id === undefined) {
      const { checked, sessions, failed } = await recoverAll(context, caller, { dry_run });
      return { checked, sessions: [...sessions], failed: [...failed] };
    }
    const recovered = await recoverSession(context, caller, id, { dry_run, force });
    return { checked: 1, sessions: recovered ? [recovered] : [], failed: [] };
  },

  async recoveries(
    context: DriveContext,
    _: Parsed<"recoveries">,
    { owner }: Caller,
  ): Promise<Output<"recoveries">> {
    const { pending, failed } = await pendingRecoveries(context, owner);
    const past = await pastRecoveries(context.store, owner, MOST_PAST);
    return { pending: [...pending], past, failed: [...failed] };
  },

  answer_recovery: explainClosed(
    async (
      context: DriveContext,
      { approval_id, answer, dry_run }: Parsed<"answer_recovery">,
      caller: Caller,
    ): Promise<Output<"answer_recovery">> => {
      const answered = await answerRecovery(context, caller, approval_id, answer, dry_run);
      return { ...answered, rollback: [...answered.rollback] };
    },
  ),
};
