import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { RunEvent } from "../../src/contract/run-event.ts";
import type { TalkSignal, TalkTerminal } from "../../src/doors/cli/talk/talk-terminal.ts";
import type { TerminalConversation } from "../../src/doors/cli/talk/terminal-conversation.ts";
import { PATIENCE_MS } from "../patience.ts";

export const SESSION = "agent-1";

/** Without the session and, for tool calls, without fields that most of them leave empty. */
export function event(body: Body): RunEvent {
  return body.type === "tool_call"
    ? { ...EMPTY_CALL, ...body, session_id: SESSION }
    : { ...body, session_id: SESSION };
}

type Bare<T> = T extends unknown ? Omit<T, "session_id"> : never;
type Call = Bare<Extract<RunEvent, { type: "tool_call" }>>;
type Body =
  | Exclude<Bare<RunEvent>, { type: "tool_call" }>
  | (Pick<Call, "type" | "action_id" | "tool" | "title" | "status"> & Partial<Call>);

const EMPTY_CALL = { effects: null, input: null, result: null, output: null, diffs: [] } as const;

/** Streams with a simulated person, and the text they would see. */
export interface TestTerminal extends TalkTerminal {
  readonly input: PassThrough;
  type(text: string): void;
  signal(signal: TalkSignal): void;
  written(): string;
  /** The text on the screen, as a terminal would show it after all output. */
  seen(): string;
}

export function testTerminal(options: Partial<TalkTerminal> = {}): TestTerminal {
  const input = new PassThrough();
  const listeners = new Set<(signal: TalkSignal) => void>();
  let written = "";
  return {
    json: false,
    interactive: true,
    typed: true,
    color: false,
    columns: 80,
    ...options,
    input,
    write: (text) => {
      written += text;
    },
    draw: (text) => {
      written += text;
    },
    note: (text) => {
      written += `${text}\n`;
    },
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    type: (text) => void input.write(text),
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
    written: () => written,
    seen: () => emulate(written, options.columns ?? 80),
  };
}

/** A conversation whose other end is the test: it records the requests and sends the events. */
export interface TestConversation extends TerminalConversation {
  readonly asked: readonly string[];
  say(...events: readonly Body[]): void;
  end(): void;
  /** The error of the next call. */
  refuseNext(error: Error): void;
}

export function testConversation(): TestConversation {
  const events = new PassThrough({ objectMode: true });
  const asked: string[] = [];
  let refusal: Error | null = null;
  const ask = async (what: string): Promise<void> => {
    asked.push(what);
    const error = refusal;
    refusal = null;
    if (error) throw error;
  };
  return {
    session_id: SESSION,
    events,
    asked,
    send: (message) => ask(`send ${message}`),
    answer: (id, { option, decision, always }) =>
      ask(`answer ${id} ${option ?? decision}${always ? " always" : ""}`),
    continue: (id) => ask(`continue ${id}`),
    interrupt: () => ask("interrupt"),
    suspend: () => ask("suspend"),
    complete: () => ask("complete"),
    say: (...bodies) => {
      for (const body of bodies) events.write(event(body));
    },
    end: () => void events.end(),
    refuseNext: (error) => {
      refusal = error;
    },
  };
}

export async function until(isTrue: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`never came; instead:\n${what()}`);
    await pause(2);
  }
}

const ESC = "\u001b";
const PIECES = new RegExp(`${ESC}\\[(\\d*)(\\w)|${ESC}(\\w)|[^]`, "gu");

/** Enough of a terminal for this output: it grows at the bottom and forgets nothing. */
function emulate(written: string, columns: number): string {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  let saved: readonly [number, number] = [0, 0];
  const rowAt = (at: number): string[] => {
    while (rows.length <= at) rows.push([]);
    return rows[at] ?? [];
  };
  const put = (character: string): void => {
    if (column >= columns) [row, column] = [row + 1, 0];
    const cells = rowAt(row);
    while (cells.length < column) cells.push(" ");
    cells[column] = character;
    column += 1;
  };
  const control = (parameter: number, name: string): void => {
    if (name === "A") row -= parameter || 1;
    else if (name === "G") column = parameter - 1;
    else if (name === "C") column += parameter || 1;
    else if (name === "D") column -= parameter || 1;
    else if (name === "K") rows[row] = parameter === 2 ? [] : rowAt(row).slice(0, column);
    else if (name === "J") rows.splice(row, rows.length, rowAt(row).slice(0, column));
    else throw new Error(`this terminal does not know ${name}`);
  };
  for (const [all, parameter, name, other] of written.matchAll(PIECES)) {
    if (name !== undefined) control(Number(parameter), name);
    else if (other === "7") saved = [row, column];
    else if (other === "8") [row, column] = saved;
    else if (other === "D") row += 1;
    else if (all === "\r") column = 0;
    else if (all === "\n") [row, column] = [row + 1, 0];
    else put(all);
    rowAt(row);
  }
  return rows
    .map((cells) => cells.join("").trimEnd())
    .join("\n")
    .trimEnd();
}
