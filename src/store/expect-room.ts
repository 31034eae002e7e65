import { BelayError, refuse } from "../contract/errors.ts";

/** Throws if a new blob would exceed the bytes that the streams of an owner may hold. */
export function expectRoom(owner: string, used: number, size: number, most = Infinity): void {
  if (used + size <= most) return;
  const message = `The files of ${owner} use ${inMegabytes(used)} of ${inMegabytes(most)}, and this one needs ${inMegabytes(size)}. Delete files or sessions, or raise BELAY_FILES_LIMIT.`;
  throw new BelayError(refuse("quota_exceeded", message, { owner, used, size, max: most }));
}

export function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
