import type { ReportDamage } from "../../import/conversation.ts";
import { countIn } from "../../import/fields.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { RecordPosition } from "../../import/record-file.ts";
import { Rollout, type Seen } from "./rollout.ts";
import type { RolloutFiles } from "./rollout-files.ts";

/** The position of a record of a thread. */
interface RolloutRef {
  readonly rollout: Rollout;
  readonly place: RecordPosition;
  readonly name: string;
}

/** Threads with more rollouts than this do not occur. */
const MOST_ROLLOUTS = 256;

/**
 * The rollouts of one thread, and those of other threads that they continue, as one chain of records. A reverted thread
 * continues from an earlier place of its own: the withdrawn part is a branch.
 */
export class JoinedRollouts {
  readonly chain = new RecordChain<RolloutRef>();
  /** The rollouts of the thread itself, oldest first. */
  readonly own: Rollout[] = [];
  /** True if a rollout that it continues is missing. */
  isIncomplete = false;
  readonly #thread: string | null;
  readonly #opened = new Map<string, Rollout>();
  readonly #added = new Set<Rollout>();
  /** The record after which each rollout continues. */
  readonly #starts = new Map<Rollout, string | null>();

  constructor(thread: string | null) {
    this.#thread = thread;
  }

  async open(paths: readonly string[], files: RolloutFiles, report: ReportDamage): Promise<void> {
    for (const path of paths) {
      const rollout = await Rollout.open(path, report);
      this.own.push(rollout);
      this.#opened.set(rollout.id ?? path, rollout);
    }
    for (const rollout of this.own) {
      await this.#openBases(rollout, files, report);
      await this.#openParent(rollout, files);
    }
    for (const rollout of this.own) this.#add(rollout);
  }

  /** Opens all rollouts that a rollout continues. */
  async #openBases(first: Rollout, files: RolloutFiles, report: ReportDamage): Promise<void> {
    const seen = new Set([first]);
    for (let rollout = first; rollout.base; ) {
      const { rollout: id } = rollout.base;
      const path = files.pathOf(id);
      const known = this.#opened.get(id);
      if ((!known && path === null) || (known && seen.has(known)) || seen.size > MOST_ROLLOUTS) {
        const why = `the rollout ${id}, which it continues, was not found`;
        report({ file: first.file.path, line: 1, why });
        this.isIncomplete = true;
        return;
      }
      // Damage in another thread's file is reported when that thread is read.
      const base = known ?? (await Rollout.open(path ?? "", () => {}));
      this.#opened.set(id, base);
      seen.add(base);
      rollout = base;
    }
  }

  #add(rollout: Rollout): void {
    if (this.#added.has(rollout)) return;
    this.#added.add(rollout);
    const { base } = rollout;
    const before = base && this.#opened.get(base.rollout);
    if (before) this.#add(before);
    this.chain.goTo(this.#starts.get(rollout) ?? null);
    const leaving = [...this.#opened.values()].filter(
      (other) => other.base?.rollout === rollout.id,
    );
    const prefix = rollout.id === null || rollout.id === this.#thread ? "" : `${rollout.id}-`;
    const leave = (record: Seen | null) => {
      for (const other of leaving) {
        if (!this.#starts.has(other) && (!record || !isBefore(record, other))) {
          this.#starts.set(other, this.chain.last);
        }
      }
    };
    const isOwn = this.own.includes(rollout);
    for (const record of this.#withoutParent(rollout)) {
      leave(record);
      if (this.#isGiven(record)) continue;
      if (!isOwn && leaving.every((other) => this.#starts.has(other))) break;
      const { tag, place, turns } = record;
      const name = `${prefix}${place.line}.${place.nth}`;
      if (tag === "event:rollback") this.chain.goBackTurns(turns);
      else {
        const kind = tag.endsWith(":prompt") ? "prompt" : "answer";
        this.chain.add(name, kind, { rollout, place, name });
      }
    }
    leave(null);
  }

  /** The part of the parent's conversation that a sub-agent got is not its own. */
  #isGiven({ ordinal }: Seen): boolean {
    const start = countIn(this.own.at(-1)?.meta.subagent_history_start_ordinal);
    return ordinal !== null && ordinal < start;
  }

  /** Older versions copied the conversation of a sub-agent's parent into its file. */
  #withoutParent(rollout: Rollout): readonly Seen[] {
    const { records } = rollout;
    const parent = this.#opened.get(rollout.copyOf ?? "");
    if (!parent || records.every(({ turn }) => turn === null)) return records;
    const from = records.findIndex(({ turn }) => turn !== null && !parent.turns.has(turn));
    return from < 0 ? [] : records.slice(from);
  }

  async #openParent({ copyOf }: Rollout, files: RolloutFiles): Promise<void> {
    const path = copyOf === null || this.#opened.has(copyOf) ? null : files.pathOf(copyOf);
    if (copyOf !== null && path !== null) {
      this.#opened.set(copyOf, await Rollout.open(path, () => {}));
    }
  }

  close(): void {
    for (const { file } of this.#opened.values()) file.close();
  }
}

/** True if a record is part of what another rollout continues. */
function isBefore({ ordinal, place }: Seen, { base }: Rollout): boolean {
  if (!base) return false;
  return ordinal === null ? place.end <= base.byte : ordinal < base.ordinal;
}
