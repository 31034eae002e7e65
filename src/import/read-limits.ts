const MEGABYTE = 1024 * 1024;

/** The limits for reading files of other tools in this process. The files of its user have hardly any. */
export const readLimits = {
  /** Bytes of a line. Some real lines have almost a megabyte, and more with an image. */
  line: 64 * MEGABYTE,
  /** Bytes of a conversation in a document. */
  document: 256 * MEGABYTE,
  /** Bytes of an unpacked file. */
  unpacked: 1024 * MEGABYTE,
  /** Lines of a file that are not empty. */
  records: Number.POSITIVE_INFINITY,
  /** Lists and objects within each other, and the values of a record. */
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
};

/** The limits in a process that reads an upload, whose author may want it to take as much as it can. */
export function limitForUploads(): void {
  Object.assign(readLimits, {
    line: 8 * MEGABYTE,
    document: 8 * MEGABYTE,
    unpacked: 256 * MEGABYTE,
    records: 100_000,
    depth: 100,
    values: 200_000,
  });
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [91, 93, 123, 125];

/** Why a record must not be parsed; null if it may be. Nothing is parsed for that. */
export function findExcess(bytes: Buffer): string | null {
  const { depth: deepest, values: most } = readLimits;
  if (deepest === Number.POSITIVE_INFINITY) return null;
  let [depth, values, isQuoted] = [0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === OPEN || code === OPEN_LIST) {
      depth += 1;
      values += 1;
      if (depth > deepest) return `nested more than ${deepest} deep`;
    } else if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
    else if (code === COMMA) values += 1;
    if (values > most) return `more than ${most} values in one record`;
  }
  return null;
}
