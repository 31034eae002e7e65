import { BelayError, refuse } from "../../contract/errors.ts";
import { FileRefusal } from "../../files/file-refusal.ts";

/** Works with a file that a person named or has in their workspace. A link, pipe or the like is a wrong input. */
export function refuseBadFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    const message = `${error.message}. Put a regular file there, or remove it.`;
    throw new BelayError(refuse("invalid_input", message, { file: error.path }), error);
  }
}
