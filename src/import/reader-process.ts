import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ReportDamage } from "./conversation.ts";
import { type ReaderAnswer, ReaderReply, type ReaderRequest } from "./reader-messages.ts";

/** The memory of a process that reads an upload, to which the server adds a little. */
const MOST_MEMORY = 140 * 1024 * 1024;
/** The time that it works for one conversation, and the time of the whole import. */
const CONVERSATION_MS = 60_000;
const IMPORT_MS = 10 * 60_000;
/** The interval at which its memory is looked at. Its heap has a limit of its own. */
const LOOK_MS = 10;

/** A process that reads an upload, and answers one question after the other. */
export class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #report: ReportDamage;
  readonly #watch: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = (): void => this.#fail("stopped");
  #failure: Error | null = null;
  #waiting: PromiseWithResolvers<ReaderAnswer> | null = null;
  readonly #end: NodeJS.Timeout;
  /** Milliseconds that are left for this conversation. */
  #left = CONVERSATION_MS;

  constructor(child: ChildProcess, report: ReportDamage, signal: AbortSignal | undefined) {
    this.#child = child;
    this.#report = report;
    this.#signal = signal;
    child.on("message", (message) => this.#hear(message));
    child.on("error", (error) => this.#fail(error.message));
    child.on("exit", (_, ended) => {
      // Node ends itself with this signal if its heap is full.
      this.#fail(ended === "SIGABRT" ? TOO_LARGE : "the process that reads it ended");
    });
    this.#watch = setInterval(() => {
      if (memoryOf(child.pid) > MOST_MEMORY) this.#fail(TOO_LARGE);
    }, LOOK_MS);
    this.#end = setTimeout(() => this.#fail(TOO_LONG), IMPORT_MS);
    signal?.addEventListener("abort", this.#stop);
    if (signal?.aborted) this.#stop();
  }

  async ask(request: ReaderRequest): Promise<ReaderAnswer> {
    if (this.#failure) throw this.#failure;
    if (request.ask === "next") this.#left = CONVERSATION_MS;
    const waiting = Promise.withResolvers<ReaderAnswer>();
    this.#waiting = waiting;
    const late = setTimeout(() => this.#fail(TOO_SLOW), this.#left);
    const asked = performance.now();
    this.#child.send(request, (error) => error && this.#fail(error.message));
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(late);
      this.#left -= performance.now() - asked;
    }
  }

  end(): void {
    clearInterval(this.#watch);
    clearTimeout(this.#end);
    this.#signal?.removeEventListener("abort", this.#stop);
    this.#child.kill("SIGKILL");
  }

  #hear(message: unknown): void {
    const reply = ReaderReply.safeParse(message);
    if (!reply.success) {
      this.#fail("cannot be read");
      return;
    }
    const { answer, damage, damaged } = reply.data;
    for (const each of damage) this.#report(each);
    const [last] = damage.slice(-1);
    // The others are only counted.
    if (last) for (let more = damaged - damage.length; more > 0; more -= 1) this.#report(last);
    if (answer.is === "failed") this.#waiting?.reject(new Error(answer.why));
    else this.#waiting?.resolve(answer);
  }

  #fail(why: string): void {
    this.#failure ??= new Error(why);
    this.end();
    this.#waiting?.reject(this.#failure);
  }
}

const TOO_SLOW = `took more than ${CONVERSATION_MS / 1000} seconds to read`;
const TOO_LONG = `the import took more than ${IMPORT_MS / 60_000} minutes; import the file again to continue`;
const TOO_LARGE = `takes more memory to read than an upload may take (${MOST_MEMORY / 1024 / 1024} MB)`;

/** The memory of a process in bytes; 0 if it has ended. */
function memoryOf(pid: number | undefined): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1];
    return Number(pages) * PAGE;
  } catch {
    return 0;
  }
}

const PAGE = 4096;
