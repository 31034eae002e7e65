import { BelayError, refuse } from "../../contract/errors.ts";

/** The error for a blob that was found, and whose last stream released it before all of it was read. */
export function blobRemoved(digest: string): BelayError {
  const message = `The file ${digest} was removed while it was read.`;
  return new BelayError(refuse("file_not_found", message, { digest }));
}
