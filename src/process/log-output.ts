import { constants, fstatSync, openSync, writeSync } from "node:fs";

/** The most bytes that wait for a slow reader; further lines are dropped. */
const MAX_WAITING = 64 * 1024;
const WRITE_FROM = 4096;
const FLUSH_MS = 250;

/**
 * Writes log lines to a descriptor that may be slow, full or closed. It never blocks, retries or throws: lines that
 * cannot be written are dropped and counted.
 */
export class LogOutput {
  readonly #fd: number;
  #waiting = Buffer.alloc(0);
  #lines: string[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | null = null;
  #dropped = 0;

  constructor(fd: number) {
    this.#fd = withoutWaiting(fd);
    process.on("exit", () => this.flush());
  }

  /** The number of lines that could not be written. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const size = Buffer.byteLength(line);
    if (this.#size + size > MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#size += size;
    // A slow reader is retried later, not for each line.
    if (this.#size >= WRITE_FROM && this.#waiting.length === 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#size === 0) return;
    const bytes = Buffer.concat([this.#waiting, Buffer.from(this.#lines.join(""))]);
    const rest = this.#writeFrom(bytes);
    this.#waiting = rest;
    this.#lines = [];
    this.#size = rest.length;
    if (rest.length > 0) this.#timer = setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  /** Returns the bytes that were not written; empty if there is no reader any more. */
  #writeFrom(bytes: Buffer): Buffer<ArrayBuffer> {
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      if (isFull(error)) return Buffer.from(bytes.subarray(at));
      this.#dropped += countLines(bytes.subarray(at));
    }
    return Buffer.alloc(0);
  }
}

/** Reopens the same pipe or terminal in non-blocking mode, so that a write fails instead of waiting. */
function withoutWaiting(fd: number): number {
  try {
    const stat = fstatSync(fd);
    if (stat.isFIFO() || stat.isCharacterDevice()) {
      return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    }
    // A socket cannot be opened by its path; Node's own stream makes its writes non-blocking.
    if (stat.isSocket()) process.stderr.on("error", () => {});
  } catch {
    // Later writes will report the reason.
  }
  return fd;
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return Math.max(1, lines);
}
