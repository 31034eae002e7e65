import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, linkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../../../files/file-refusal.ts";
import { createFile, openFile } from "../../../files/open-file.ts";
import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import { type ChainEnd, EMPTY_CHAIN } from "./commit-log.ts";
import { writeAll } from "./line-file.ts";
import { openLine, sealLine } from "./sealed-line.ts";

/** The end of the last commit, and the number of changes of leases. */
interface Anchored extends ChainEnd {
  readonly leases: number;
}

/**
 * The end of the last commit, in a file of its own: it shows if the log of commits or of leases has lost its tail. It is
 * overwritten after each change and not synced, so after a power cut it may be behind, and never ahead.
 */
export class CommitAnchor {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Called before the first commit. Another process may be faster, and may have committed already. */
  create(): void {
    if (this.read() !== "missing") return;
    const complete = join(dirname(this.#path), `.anchor.${randomBytes(8).toString("hex")}.tmp`);
    const file = createFile(complete);
    try {
      writeAll(file, recordOf({ ...EMPTY_CHAIN, leases: 0 }), 0);
      fsyncSync(file);
      linkSync(complete, this.#path);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    } finally {
      closeSync(file);
      rmSync(complete, { force: true });
    }
    syncFolder(dirname(this.#path));
  }

  /** A record that a power cut left torn says nothing. */
  read(): Anchored | "missing" | "torn" {
    const text = readFile(this.#path, { most: 4096 })?.toString("utf8");
    if (text === undefined) return "missing";
    const object = openLine(text.trimEnd());
    if (object === null) return "torn";
    const { end, hash, leases }: Record<keyof Anchored, string> = JSON.parse(object);
    return { end: Number(end), hash, leases: Number(leases) };
  }

  /** Never fails: the commit is durable without it. */
  write(anchored: Anchored): void {
    try {
      const file = openFile(this.#path, constants.O_RDWR);
      try {
        writeAll(file, recordOf(anchored), 0);
      } finally {
        closeSync(file);
      }
    } catch {
      // The anchor names an earlier commit then, or is missed by the next writer.
    }
  }

  /** For a log that a person accepted in its current state. */
  restart(anchored: Anchored): void {
    replaceFile(this.#path, recordOf(anchored).toString("utf8"));
  }
}

/** All records have the same length. */
function recordOf({ end, hash, leases }: Anchored): Buffer {
  const object = JSON.stringify({ end: padded(end), hash, leases: padded(leases) });
  return Buffer.from(`${sealLine(object)}\n`);
}

function padded(count: number): string {
  return `${count}`.padStart(15, "0");
}
