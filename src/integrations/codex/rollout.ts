import type { ReportDamage } from "../../import/conversation.ts";
import { countIn, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { Fields, RecordPosition } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";
import { tagOf } from "./codex-items.ts";
import { openCompressed } from "./open-compressed.ts";
import { rolloutName } from "./rollout-files.ts";

/** A record that is part of the conversation. */
export interface Seen {
  readonly tag: string;
  readonly place: RecordPosition;
  /** The number of the record through all files of a thread, in newer versions. */
  readonly ordinal: number | null;
  /** The number of turns to roll back. */
  readonly turns: number;
  /** The tool call that it describes. */
  readonly call: string | null;
  /** The turn in which it was written, if the file names turns. */
  readonly turn: string | null;
}

/** The last record of the rollout that another one continues. */
interface Base {
  readonly rollout: string;
  readonly ordinal: number;
  readonly byte: number;
}

/** One file of a thread. It stays open until it is closed. */
export class Rollout {
  readonly id: string | null;
  readonly file: RecordFile;
  meta: Fields = {};
  /** Every turn that the file names. */
  readonly turns = new Set<string>();
  times: readonly [first: number, last: number] | null = null;
  /** The parent of a sub-agent whose file starts with a copy of the parent's; null if it does not. */
  copyOf: string | null = null;
  readonly #records: Seen[] = [];

  private constructor(path: string, file: RecordFile) {
    this.id = rolloutName(path)?.rollout ?? null;
    this.file = file;
  }

  static async open(path: string, report: ReportDamage): Promise<Rollout> {
    const file = path.endsWith(".zst") ? await openCompressed(path, report) : new RecordFile(path);
    const rollout = new Rollout(path, file);
    let turn: string | null = null;
    let hasMeta = false;
    let next: number | null = null;
    await file.scan(report, (record, place) => {
      const payload = recordIn(record.payload);
      if (record.type === "session_meta") {
        if (hasMeta) rollout.copyOf = rollout.parent;
        else [rollout.meta, hasMeta] = [payload, true];
      }
      const { ordinal } = record;
      if (typeof ordinal === "number") {
        if (next !== null && ordinal > next) {
          const why = `records ${next} to ${ordinal - 1} are missing`;
          report({ file: file.path, line: place.line, why });
        }
        next = ordinal + 1;
      }
      const at = timeIn(record.timestamp);
      const { times } = rollout;
      if (at !== null) rollout.times = [times?.[0] ?? at, Math.max(times?.[1] ?? at, at)];
      turn = turnStartedBy(record) ?? turn;
      if (turn !== null) rollout.turns.add(turn);
      rollout.#see(record, place, turn);
    });
    return rollout;
  }

  #see(record: Fields, place: RecordPosition, turn: string | null): void {
    const tag = tagOf(record);
    if (tag === null) return;
    const payload = recordIn(record.payload);
    const ordinal = typeof record.ordinal === "number" ? record.ordinal : null;
    const call = textIn(payload.call_id) ?? textIn(recordIn(payload.item).id);
    this.#records.push({ tag, place, ordinal, turns: countIn(payload.num_turns), call, turn });
  }

  /** The thread whose sub-agent wrote this rollout; null if there is none. */
  get parent(): string | null {
    const { id, session_id, parent_thread_id, source } = this.meta;
    const { subagent } = recordIn(source);
    const spawned = textIn(recordIn(recordIn(subagent).thread_spawn).parent_thread_id);
    const root = subagent === undefined || session_id === id ? null : textIn(session_id);
    return textIn(parent_thread_id) ?? spawned ?? root;
  }

  get base(): Base | null {
    const { thread_id, end_ordinal_exclusive, end_byte_offset } = recordIn(this.meta.history_base);
    const rollout = textIn(thread_id);
    if (rollout === null) return null;
    return { rollout, ordinal: countIn(end_ordinal_exclusive), byte: countIn(end_byte_offset) };
  }

  /** The records of the file, each once: the model's log and the screen's log are in one file. */
  get records(): readonly Seen[] {
    const tags = new Set(this.#records.map(({ tag }) => tag));
    const first = (...names: readonly string[]) => names.find((name) => tags.has(name));
    const told = new Set([
      ...[first("event:prompt", "item:prompt", "done:prompt")],
      ...[first("item:answer", "event:answer", "done:answer")],
      ...[first("item:thought", "event:thought")],
    ]);
    const calls = new Set(
      this.#records.filter(({ tag }) => tag === "item:call").map(({ call }) => call),
    );
    return this.#records.filter(({ tag, call }) => {
      if (tag === "done:call") return !calls.has(call);
      return told.has(tag) || !/:(?:prompt|answer|thought)$/.test(tag);
    });
  }
}

function turnStartedBy({ type, payload }: Fields): string | null {
  const { type: event, turn_id } = recordIn(payload);
  const isStart = type === "turn_context" || event === "task_started" || event === "turn_started";
  return isStart ? textIn(turn_id) : null;
}
