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

/**
 * The end of the last commit, in a file of its own: it shows if the log of commits has lost its tail. It is overwritten
 * after each commit and not synced, so after a power cut it may be behind, and never ahead.
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
      writeAll(file, recordOf(EMPTY_CHAIN), 0);
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
  read(): ChainEnd | "missing" | "torn" {
    const text = readFile(this.#path, { most: 4096 })?.toString("utf8");
    if (text === undefined) return "missing";
    const object = openLine(text.trimEnd());
    if (object === null) return "torn";
    const { end, hash }: { end: string; hash: string } = JSON.parse(object);
    return { end: Number(end), hash };
  }

  /** Never fails: the commit is durable without it. */
  write(chain: ChainEnd): void {
    try {
      const file = openFile(this.#path, constants.O_RDWR);
      try {
        writeAll(file, recordOf(chain), 0);
      } finally {
        closeSync(file);
      }
    } catch {
      // The anchor names an earlier commit then, or is missed by the next writer.
    }
  }

  /** For a log that a person accepted in its current state. */
  restart(chain: ChainEnd): void {
    replaceFile(this.#path, recordOf(chain).toString("utf8"));
  }
}

/** All records have the same length. */
function recordOf({ end, hash }: ChainEnd): Buffer {
  const padded = `${end}`.padStart(15, "0");
  return Buffer.from(`${sealLine(JSON.stringify({ end: padded, hash }))}\n`);
}
