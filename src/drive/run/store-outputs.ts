import type { SessionCommand } from "../../contract/commands.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { WHOLE_OUTPUT } from "./call-action.ts";

/** Stores outputs that are too long for the log as blobs; the commands then name them as `output_file`. */
export async function storeOutputs(
  { blobs }: StreamStore,
  id: string,
  commands: readonly SessionCommand[],
): Promise<readonly SessionCommand[]> {
  const kept: SessionCommand[] = [];
  for (const command of commands) {
    if (command.type !== "complete_action" || !(WHOLE_OUTPUT in command.details)) {
      kept.push(command);
      continue;
    }
    const { [WHOLE_OUTPUT]: whole, ...details } = command.details;
    const put =
      blobs && typeof whole === "string"
        ? await blobs.put(id, [Buffer.from(whole.toWellFormed())])
        : null;
    const pointer = put && { output_file: { digest: put.digest, size: put.size } };
    kept.push({ ...command, details: { ...details, ...pointer } });
  }
  return kept;
}
