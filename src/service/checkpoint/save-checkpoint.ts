import { BelayError } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { iso } from "../../core/view/view-session.ts";
import { changeSession } from "../change-session.ts";
import { hasScope } from "../expect-scope.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { findSession } from "../read/find-session.ts";
import { hasCheckpoint, readCheckpoint } from "../read/read-checkpoint.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { storeState } from "../store-state.ts";

/** Saves a named state, with the files of the session's folder if it is a trusted git work tree. */
export async function saveCheckpoint(
  context: ServiceContext,
  input: Parsed<"save_checkpoint">,
  caller: Caller,
): Promise<Output<"save_checkpoint">> {
  const { id, name, state, expected_version } = input;
  const retry = retryOf("save_checkpoint", input);
  const checkpoint_id = idFor(context, caller, retry);
  const kept = await storeState(context, caller, id, state);
  // A retry must not record the files again.
  const isKnown =
    retry !== undefined && (await hasCheckpoint(context.store, caller.owner, checkpoint_id));
  const recorded = isKnown
    ? NOTHING
    : await recordFiles(context, caller, id, checkpoint_id).catch(kept.forget);
  const { head, stream } = await changeSession(context, caller, {
    id,
    expected_version,
    retry,
    commands: () => [
      { type: "save_checkpoint", checkpoint_id, name, ...kept.fields, ...recorded.fields },
    ],
  }).catch((error) => {
    recorded.forget();
    return kept.forget(error);
  });
  const saved = { name, checkpoint_id, timestamp: iso(head.updated_at), state };
  const { files, files_skipped } = isKnown
    ? await readCheckpoint(context.store, stream.id, checkpoint_id)
    : recorded.fields;
  return { ...saved, ...(files && { files }), ...(files_skipped && { files_skipped }) };
}

interface KeptFiles {
  readonly fields: Pick<Output<"save_checkpoint">, "files" | "files_skipped">;
  forget(): void;
}

const NOTHING: KeptFiles = { fields: {}, forget() {} };

/** Recording runs git in the folder, so it needs scope `admin`. */
async function recordFiles(
  context: ServiceContext,
  caller: Caller,
  id: string,
  checkpoint_id: string,
): Promise<KeptFiles> {
  const { workTrees } = context;
  if (!workTrees || !hasScope(caller.scope, "admin")) return NOTHING;
  const { head } = await findSession(context, caller.owner, id);
  const cwd = head.project?.cwd;
  if (!cwd) return NOTHING;
  try {
    const { files, forget } = await workTrees.record(cwd, checkpoint_id);
    return { fields: { files }, forget };
  } catch (error) {
    if (!(error instanceof BelayError) || error.code !== "work_tree_refused") throw error;
    return { ...NOTHING, fields: { files_skipped: error.message } };
  }
}
