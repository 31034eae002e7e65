import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { PATIENCE_MS } from "../../patience.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "./demo-program.ts";

/** The parts of a frame that the tests read. */
export interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly update?: Update;
    readonly toolCall?: Update;
    readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
  };
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Update {
  readonly sessionUpdate: string;
  readonly toolCallId?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly content?: unknown;
  readonly rawOutput?: { readonly output?: string; readonly exit_code?: number };
  readonly entries?: readonly { readonly content: string; readonly status: string }[];
  readonly used?: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
  readonly currentModeId?: string;
}

export interface Result {
  readonly sessionId?: string;
  readonly stopReason?: string;
  readonly usage?: Readonly<Record<string, number>>;
  readonly modes?: { readonly currentModeId: string };
  readonly sessions?: readonly { readonly sessionId: string; readonly title: string }[];
  readonly agentCapabilities?: {
    readonly loadSession: boolean;
    readonly sessionCapabilities: Readonly<Record<string, object>>;
  };
}

/** How permission requests are answered: with the option of this kind, or not at all. */
type Answer = "allow_once" | "allow_always" | "reject_once" | "reject_always" | "cancelled" | null;

/** A minimal client of the demo agent that records every line it gets. */
export class DemoClient {
  readonly child: ChildProcess;
  /** All lines of stdout, in order. */
  readonly lines: string[] = [];
  readonly frames: Frame[] = [];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  answers: Answer = "allow_once";
  stderr = "";
  readonly cwd: string;
  #nextId = 1;
  #ended = false;
  #sessionId = "";

  constructor(args: readonly string[], { folder, cwd }: { folder: string; cwd: string }) {
    this.cwd = cwd;
    this.child = spawn(process.execPath, [DEMO_PROGRAM, ...args], {
      cwd,
      env: {
        PATH: process.env.PATH,
        BELAY_DEMO_FOLDER: folder,
        ...DEMO_ENV,
      },
    });
    this.exited = new Promise((resolve) =>
      this.child.once("close", (code, signal) => {
        this.#ended = true;
        resolve({ code, signal });
      }),
    );
    this.child.stdin?.on("error", () => {});
    this.child.stderr?.on("data", (text) => {
      this.stderr += text;
    });
    if (this.child.stdout) {
      createInterface({ input: this.child.stdout }).on("line", (line) => this.#receive(line));
    }
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get updates(): readonly Update[] {
    return this.frames.flatMap((frame) => frame.params?.update ?? []);
  }

  get permissions(): readonly Frame[] {
    return this.frames.filter((frame) => frame.method === "session/request_permission");
  }

  /** All its text, joined. */
  get said(): string {
    return saidIn(this.updates);
  }

  /** The frame of the answer, a result or an error. */
  async ask(method: string, params: object): Promise<Frame> {
    const id = this.#nextId++;
    this.#send({ jsonrpc: "2.0", id, method, params });
    return this.waitFor((frame) => frame.id === id && frame.method === undefined);
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  initialize(): Promise<Frame> {
    return this.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  async newSession(): Promise<Frame> {
    const frame = await this.ask("session/new", { cwd: this.cwd, mcpServers: [] });
    this.#sessionId = frame.result?.sessionId ?? "";
    return frame;
  }

  reopen(way: "load" | "resume", sessionId: string): Promise<Frame> {
    this.#sessionId = sessionId;
    return this.ask(`session/${way}`, { sessionId, cwd: this.cwd, mcpServers: [] });
  }

  prompt(text: string): Promise<Frame> {
    return this.ask("session/prompt", {
      sessionId: this.sessionId,
      prompt: [{ type: "text", text }],
    });
  }

  cancel(): void {
    this.notify("session/cancel", { sessionId: this.sessionId });
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }

  waitFor(isIt: (frame: Frame) => boolean): Promise<Frame> {
    return until(() => this.frames.find(isIt) ?? this.#giveUpOnEnd());
  }

  waitForUpdate(isIt: (update: Update) => boolean): Promise<Update> {
    return until(() => this.updates.find(isIt) ?? this.#giveUpOnEnd());
  }

  #giveUpOnEnd(): undefined {
    if (this.#ended) throw new Error(`the demo agent has ended: ${this.stderr}`);
  }

  #receive(line: string): void {
    this.lines.push(line);
    const frame = parseFrame(line);
    if (!frame) return;
    this.frames.push(frame);
    if (frame.method !== "session/request_permission" || this.answers === null) return;
    const option = frame.params?.options?.find(({ kind }) => kind === this.answers);
    const outcome = option
      ? { outcome: "selected", optionId: option.optionId }
      : { outcome: "cancelled" };
    this.#send({ jsonrpc: "2.0", id: frame.id, result: { outcome } });
  }

  #send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

/** A demo agent with an open session. It is killed when the test has finished. */
export async function startDemo(
  args: readonly string[] = [],
  folders = temporaryFolders(),
): Promise<DemoClient> {
  const demo = spawnDemo(args, folders);
  await demo.initialize();
  await demo.newSession();
  return demo;
}

/** The same without any message. */
export function spawnDemo(args: readonly string[] = [], folders = temporaryFolders()): DemoClient {
  const demo = new DemoClient(args, folders);
  onTestFinished(() => demo.kill());
  return demo;
}

/** A demo agent that reopens a session of a dead one. */
export async function reopenDemo(
  way: "load" | "resume",
  sessionId: string,
  args: readonly string[],
  folders: Folders,
): Promise<{ readonly demo: DemoClient; readonly opened: Frame }> {
  const demo = spawnDemo(args, folders);
  await demo.initialize();
  return { demo, opened: await demo.reopen(way, sessionId) };
}

export interface Folders {
  readonly folder: string;
  readonly cwd: string;
}

export function temporaryFolders(): Folders {
  const root = mkdtempSync(join(tmpdir(), "belay-demo-agent-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "work");
  mkdirSync(cwd);
  return { folder: join(root, "memory"), cwd };
}

export function saidIn(updates: readonly Update[]): string {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(textOf)
    .join("");
}

export function textOf({ content }: Update): string {
  if (typeof content !== "object" || content === null || !("text" in content)) return "";
  return String(content.text);
}

/** False for a process that is dead but not reaped. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return false;
  }
}

/** Waits for a condition. */
export async function until<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`it has not come to pass: ${look}`);
}

function parseFrame(line: string): Frame | null {
  try {
    const frame = JSON.parse(line);
    return frame.jsonrpc === "2.0" ? frame : null;
  } catch {
    return null;
  }
}
