import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, readFileSync } from "node:fs";
import { openFile } from "../../files/open-file.ts";

/**
 * A sealed file starts with a line with its checksum. The checksum covers the text, and the inode and birth time of the
 * file itself: it detects a flipped bit, and a file that was unpacked from an archive instead of written here.
 */
export function sealText(file: number, text: string): string {
  return `${firstLine(file, Buffer.from(text))}${text}`;
}

type SealedRead = { readonly text: string; readonly isSealed: boolean } | { readonly why: string };

/** Reads a sealed file, or an older one without a seal. */
export function readSealed(path: string): SealedRead {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const stat = fstatSync(file);
    if ((stat.mode & 0o777) !== SEALED_MODE || !isOwn(stat.uid))
      return { why: "not written by Belay" };
    if (stat.size > LARGEST_FILE) return { why: `larger than ${LARGEST_FILE} bytes` };
    const whole = readFileSync(file);
    if (whole[0] === OLD_START) return { text: whole.toString("utf8"), isSealed: false };
    const body = whole.subarray(whole.indexOf("\n") + 1);
    const start = whole.subarray(0, whole.length - body.length).toString("latin1");
    if (start === firstLine(file, body)) return { text: body.toString("utf8"), isSealed: true };
    return { why: "its checksum does not match: it is damaged, or was copied here" };
  } finally {
    closeSync(file);
  }
}

const MARK = "belay-spool-1";
const LARGEST_FILE = 8 * 1024 * 1024;
/** No checkout of a repository gives a file these permissions. */
export const SEALED_MODE = 0o400;
/** The first byte of a file without a seal, which is JSON. */
const OLD_START = 0x7b;

function firstLine(file: number, body: Buffer): string {
  const { ino, birthtimeNs } = fstatSync(file, { bigint: true });
  // Other systems may report the time of the last change here.
  const born = process.platform === "linux" ? birthtimeNs : 0n;
  const checksum = createHash("sha256").update(`${ino} ${born}\n`).update(body).digest("hex");
  return `${MARK} ${checksum}\n`;
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
