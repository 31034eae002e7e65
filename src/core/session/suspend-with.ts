import type { SessionCommand } from "../../contract/commands.ts";

/** Suspending saves the state of the conversation, then stops. */
export function suspendWith(
  state: Record<string, unknown>,
  reason: string,
  checkpoint_id: string,
  until?: number,
): SessionCommand[] {
  return [
    { type: "save_checkpoint", checkpoint_id, name: `suspended-${checkpoint_id}`, state },
    { type: "suspend", reason, checkpoint_id, until },
  ];
}
