import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { openFile } from "../files/open-file.ts";
import type { ReportDamage } from "./conversation.ts";
import { Pace } from "./pace.ts";
import { findExcess, readLimits } from "./read-limits.ts";
import { readLines } from "./read-lines.ts";
import { salvageObjects } from "./salvage-objects.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The memory of a larger line is freed before the next one is read, in a process that allows this. */
const LARGE = 1024 * 1024;

/** The position of a record in its file. */
export interface RecordPosition {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The index within the line, if two records ran into one. */
  readonly nth: number;
}

/**
 * A file with one JSON record per line. It is read once to find every complete record, and then record by record on
 * demand, so that a file of any size needs little memory. Only the part that existed at opening is read.
 */
export class RecordFile {
  readonly path: string;
  readonly size: number;
  readonly modified_at: number;
  readonly #file: number;

  /** `name` is the file that people know, if this is an unpacked copy of it. */
  constructor(path: string, name = path) {
    this.path = name;
    this.#file = openFile(path, constants.O_RDONLY);
    const { size, mtimeMs } = fstatSync(this.#file);
    this.size = size;
    this.modified_at = mtimeMs;
  }

  /** Passes on every complete record, and reports invalid ones. An incomplete last line is left for the next time. */
  async scan(
    report: ReportDamage,
    see: (record: Fields, place: RecordPosition) => void,
  ): Promise<void> {
    const pace = new Pace();
    const { line: longest, records: most } = readLimits;
    let records = 0;
    for (const found of readLines(this.#file, this.size, longest)) {
      if (pace.isDue) await pace.rest();
      if (found === null) continue;
      const { bytes, closed, ...where } = found;
      const { line } = where;
      records += 1;
      const excess =
        records > most
          ? `more than ${most} records; the rest is not read`
          : bytes === null
            ? `longer than ${longest} bytes`
            : findExcess(bytes);
      if (excess !== null) report({ file: this.path, line, why: excess });
      if (records > most) return;
      if (bytes === null || excess !== null) continue;
      const { objects, why } = salvageObjects(bytes.toString("utf8"));
      const isTorn = !closed && why !== null && objects.length === 0;
      if (why !== null && !isTorn) report({ file: this.path, line, why });
      else if (!isTorn && !isUtf8(bytes)) report({ file: this.path, line, why: "not UTF-8" });
      for (const [nth, record] of objects.entries()) see(record, { ...where, nth });
      if (bytes.length > LARGE) globalThis.gc?.();
    }
  }

  /** The record at that position. Throws if the file has changed since. */
  read({ start, end, nth, line }: RecordPosition): Fields {
    const bytes = Buffer.allocUnsafe(end - start);
    const read = readSync(this.#file, bytes, 0, bytes.length, start);
    const { objects } = salvageObjects(bytes.toString("utf8", 0, read));
    const record = objects[nth];
    if (record) return record;
    throw new FileChanged(`${this.path} was changed at line ${line} while it was read`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The writer of the file did more than append to it. */
class FileChanged extends Error {}
