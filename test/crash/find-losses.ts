import { type Belay, type LogEvent, openBelay } from "../../src/index.ts";
import type { Acknowledgement } from "./acknowledgements.ts";

export interface Recovery {
  /** Every broken promise; empty if nothing was lost. */
  readonly problems: readonly string[];
  /** Logs that were ahead of their anchor, as a crash between commit and anchor leaves them. */
  readonly settled: number;
}

/** Opens a folder after its writer died, and looks for everything that was promised. */
export async function findLosses(
  home: string,
  acknowledgements: readonly Acknowledgement[],
): Promise<Recovery> {
  const belay = await openBelay({ home });
  try {
    const problems: string[] = [];
    const logs = await readLogs(belay, problems);
    for (const acknowledged of acknowledgements) {
      const problem = findPromise(logs.get(acknowledged.session), acknowledged);
      if (problem !== null) problems.push(problem);
      else if (acknowledged.text.startsWith(FILE)) await readFile(belay, acknowledged, problems);
    }
    const { settled, findings } = await belay.maintenance.verify();
    for (const { kind, what } of findings) if (kind === "damage") problems.push(what);
    for (const { kind, what } of (await belay.maintenance.verify()).findings) {
      problems.push(`${kind} after the first verify: ${what}`);
    }
    for (const id of logs.keys()) await goOn(belay, id, problems);
    return { problems, settled };
  } finally {
    await belay.close();
  }
}

async function readLogs(belay: Belay, problems: string[]): Promise<Map<string, LogEvent[]>> {
  const logs = new Map<string, LogEvent[]>();
  const { sessions, damaged } = await belay.sessions.list({
    archived: true,
    failed: true,
    limit: 1000,
  });
  for (const { session_id } of damaged) problems.push(`${session_id} is damaged`);
  for (const { session_id, version } of sessions) {
    const events = await readLog(belay, session_id);
    logs.set(session_id, events);
    if (events.length !== version) problems.push(`${session_id} has not ${version} events`);
    for (const [index, { seq }] of events.entries()) {
      if (seq !== index + 1) problems.push(`${session_id} has ${seq} where ${index + 1} is next`);
    }
    const saved = events.filter(({ type }) => type === "checkpoint.saved").length;
    const suspended = events.filter(({ type }) => type === "session.suspended").length;
    if (saved !== suspended) problems.push(`${session_id} was half suspended`);
  }
  return logs;
}

async function readLog(belay: Belay, id: string): Promise<LogEvent[]> {
  const all: LogEvent[] = [];
  for (;;) {
    const { events } = await belay.sessions.log({ id, after: all.length, limit: 1000 });
    if (events.length === 0) return all;
    all.push(...events);
  }
}

function findPromise(
  log: readonly LogEvent[] | undefined,
  { session, version, text }: Acknowledgement,
): string | null {
  if (text === PURGED) return log === undefined ? null : `${session} was purged and is there`;
  const found = (log ?? []).filter(({ data }) => says(data, text));
  if (found.length === 0) return `${session} lost "${text}"`;
  if (found.length > 1) return `${session} has "${text}" ${found.length} times`;
  if (version === null || found[0]?.seq === version) return null;
  return `${session} has "${text}" at ${found[0]?.seq}, and ${version} was promised`;
}

function says(data: LogEvent["data"], text: string): boolean {
  return [data.input, data.session_id, data.reason, data.uri].includes(text);
}

/** The start of the text that promises a file. */
const FILE = "blob:";
/** The text that promises that the session is gone. */
const PURGED = "purged";

async function readFile(belay: Belay, { session, text }: Acknowledgement, problems: string[]) {
  try {
    const { bytes } = await belay.files.read({ id: session, digest: text.slice(FILE.length) });
    for await (const _ of bytes());
  } catch (error) {
    problems.push(`${session} lost ${text}: ${error}`);
  }
}

async function goOn(belay: Belay, id: string, problems: string[]): Promise<void> {
  const before = await belay.sessions.get({ id });
  if (before.status === "suspended") await belay.sessions.resume({ id });
  const { version } = await belay.turns.record({ id, input: "after the crash", output: "" });
  if (version <= before.version) problems.push(`${id} goes on at ${version}`);
}
