import { createService } from "../../src/compose-service.ts";
import { BelayError } from "../../src/contract/errors.ts";
import type { RecoveryAnswer } from "../../src/contract/vocabulary.ts";
import type { ServiceContext } from "../../src/service/service-context.ts";
import { CALLER } from "./door.ts";
import type { Outside } from "./outside.ts";

/** Answers all recovery questions, each session by its script. */
export async function answerAll(
  context: ServiceContext,
  outside: Pick<Outside, "acknowledge">,
  scriptOf: (session: string) => RecoveryAnswer,
): Promise<void> {
  const service = createService(context);
  const person = { ...CALLER, actor: "person" };
  const { approvals } = await service.call("list_approvals", { limit: 1000 }, person);
  for (const { approval_id, session_id, kind } of approvals) {
    if (kind !== "recovery") continue;
    const say = (answer: RecoveryAnswer) =>
      service.call("answer_recovery", { approval_id, answer }, person);
    const wanted = scriptOf(session_id);
    try {
      await say(wanted);
    } catch (error) {
      // There is nothing to undo.
      if (!isNothingToUndo(error) || wanted !== "rollback") throw error;
      await say("continue");
    }
    const promise = { session: session_id, type: "approval.decided", id: approval_id };
    outside.acknowledge({ ...promise, version: Number.MAX_SAFE_INTEGER });
  }
}

function isNothingToUndo(error: unknown): boolean {
  return error instanceof BelayError && error.code === "invalid_input";
}
