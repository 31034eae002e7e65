import type { SessionCommand } from "../contract/commands.ts";
import type { SessionHead } from "../contract/head.ts";
import { LIMITS } from "../contract/limits.ts";
import { cutText, jsonBytes } from "../core/text-size.ts";
import type { PastStep } from "../service/import-session.ts";
import { addPast } from "../service/import-session.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { boundItem, itemId } from "./bound-item.ts";
import type { Branch, Conversation } from "./conversation.ts";
import type { ImportCursor } from "./import-cursor.ts";
import { CURSOR_ROW, cursorIn } from "./import-cursor.ts";
import { Pace } from "./pace.ts";
import { sessionIdOf } from "./session-id-of.ts";
import { TurnSteps } from "./turn-steps.ts";

/** A conversation without activity for this long counts as finished. It can always continue. */
export const QUIET_SESSION = 30 * 60_000;
/** The limits of one transaction. A turn and open calls may exceed them. */
const BATCH = { commands: 400, waiting: 100, bytes: 512 * 1024 } as const;

export const COMPLETE: SessionCommand = {
  type: "finalize",
  outcome: "completed",
  summary: null,
  error: null,
};

export function noteImported(
  source: string,
  conversation_id: string,
  { turns, turn_id, items }: Omit<ImportCursor, "counted">,
  agent_session_id: string | null,
): SessionCommand {
  const of = { source, conversation_id: cutText(conversation_id, LIMITS.SESSION_ID.max) };
  return { type: "note_imported", ...of, turns, turn_id, items, agent_session_id };
}

interface BranchPlan {
  readonly session_id: string;
  readonly source: string;
  readonly conversation: Conversation;
  readonly branch: Branch;
  readonly title: string | null;
  readonly base: {
    readonly id: string;
    readonly session_id: string;
    readonly seq: number;
    readonly head: SessionHead;
  } | null;
  readonly now: number;
  /** Stops writing early, after a turn or a part of one. */
  readonly signal: AbortSignal | undefined;
  /** Receives the number of turns written so far. */
  readonly onWritten: ((turns: number) => void) | undefined;
}

/**
 * Writes the turns of one branch in batches. Each batch records its progress, so that a later import continues there.
 */
export class BranchWriter {
  readonly #context: ServiceContext;
  readonly #caller: Caller;
  readonly #plan: BranchPlan;
  readonly #entity_id: string;
  #head: SessionHead | null = null;
  #cursor: Omit<ImportCursor, "counted"> | null = null;
  /** The number of turns stored before. */
  #known = 0;
  #written = 0;
  #steps: PastStep[] = [];
  #bytes = 0;

  constructor(context: ServiceContext, caller: Caller, plan: BranchPlan) {
    this.#context = context;
    this.#caller = caller;
    this.#plan = plan;
    this.#entity_id = context.newId();
  }

  /** Returns the number of turns written, fewer than requested if it was stopped or another import was faster. */
  async write(span: {
    readonly head: SessionHead | null;
    readonly cursor: ImportCursor | null;
    readonly from: number;
    readonly skip: number;
    readonly until: number;
  }): Promise<number> {
    const { branch, conversation, now } = this.#plan;
    this.#head = span.head;
    this.#cursor = span.cursor;
    const start = span.head?.updated_at ?? conversation.started_at;
    let at = start === null ? null : Math.min(start, now);
    this.#known = span.from + (span.skip > 0 ? 1 : 0);
    let isOpen = true;
    const redaction = await this.#context.redaction?.();
    const pace = new Pace();
    for (let turn = span.from; turn < span.until && isOpen; turn += 1) {
      const native = branch.turns[turn] ?? "";
      const skip = turn === span.from ? span.skip : 0;
      let steps: TurnSteps | null = null;
      let items = 0;
      for await (const given of branch.items(turn)) {
        // Whole texts, before they are cut into parts.
        const item = boundItem(redaction?.value(given) ?? given);
        items += 1;
        if (pace.isDue) await pace.rest();
        if (items <= skip) continue;
        const time = item.at === null ? null : Math.min(item.at, now);
        if (!steps) {
          at = Math.max(at ?? time ?? now, time ?? at ?? now);
          steps = new TurnSteps(itemId(items === 1 ? native : `${native}.${items}`), at);
          const isPrompt = item.kind === "prompt";
          this.#add([steps.start(isPrompt ? item.text : null)]);
          if (isPrompt) continue;
        }
        this.#add(steps.add({ ...item, at: time }));
        at = steps.at;
        if (this.#isFull(steps.hasOpenCalls ? "call" : "turn", steps.waiting)) {
          this.#add(steps.end(true));
          steps = null;
          isOpen = await this.#flush(at, { turns: turn + 1, turn_id: itemId(native), items });
          if (!isOpen) break;
        }
      }
      if (!isOpen) break;
      if (steps) this.#add(steps.end(false));
      const isLast = turn === span.until - 1;
      if (isLast || this.#isFull(null)) {
        const cursor = { turns: turn + 1, turn_id: itemId(native), items };
        isOpen = await this.#flush(at ?? now, cursor, isLast);
      }
    }
    return this.#written;
  }

  #add(steps: readonly PastStep[]): void {
    for (const step of steps) {
      this.#steps.push(step);
      for (const command of step.commands) this.#bytes += jsonBytes(command);
    }
  }

  /** The limits are higher within a turn, so that a short turn is never split. */
  #isFull(within: "turn" | "call" | null, waiting = { count: 0, bytes: 0 }): boolean {
    const most = within === "call" ? 4 : within === "turn" ? 2 : 1;
    return (
      this.#steps.length >= BATCH.commands * most ||
      waiting.count >= BATCH.waiting ||
      this.#bytes + waiting.bytes >= BATCH.bytes * Math.min(most, 2)
    );
  }

  /** False if another import was faster and continues with it, or if this one was stopped. */
  async #flush(
    at: number,
    cursor: Omit<ImportCursor, "counted">,
    isLast = false,
  ): Promise<boolean> {
    const { session_id, source, conversation, branch, base, now } = this.#plan;
    const steps = this.#steps;
    const expected = this.#cursor;
    const first = steps[0]?.at ?? at;
    [this.#steps, this.#bytes] = [[], 0];
    const head = await addPast(this.#context, this.#caller, {
      session_id,
      ...(base && !this.#head && { base }),
      rows: CURSOR_ROW,
      steps: (stored, rows) => {
        if ((stored === null) !== (this.#head === null)) return [];
        const known = stored && cursorIn(rows, stored);
        if (known?.turns !== expected?.turns || known?.items !== expected?.items) return [];
        if (stored && stored.counts.turns !== known?.counted) return [];
        const resumes = branch.current ? conversation.agent.session_id : null;
        return [
          ...(stored ? [] : [{ at: first, commands: [this.#begin()] }]),
          ...(stored?.status === "completed" ? goOn(steps, this.#caller) : steps),
          { at, commands: [noteImported(source, conversation.id, cursor, resumes)] },
          ...(isLast && now - at >= QUIET_SESSION ? [{ at, commands: [COMPLETE] }] : []),
        ];
      },
    });
    [this.#head, this.#cursor] = [head, cursor];
    if (head === null) return false;
    this.#written = Math.max(cursor.turns - this.#known, 0);
    this.#plan.onWritten?.(this.#written);
    return this.#plan.signal?.aborted !== true;
  }

  #begin(): SessionCommand {
    const { session_id, source, conversation, title, base } = this.#plan;
    const { owner, interface: door } = this.#caller;
    const entity_id = this.#entity_id;
    if (base) {
      const parent = { session_id: base.session_id, entity_id: base.id, seq: base.seq };
      return { type: "fork", session_id, entity_id, owner, interface: door, title, parent };
    }
    const { agent, cwd, git_branch, parent, metadata } = conversation;
    const project = { cwd, repo: null, branch: git_branch };
    return {
      type: "create",
      ...{ session_id, entity_id, owner, interface: door, title, task_id: entity_id },
      agent_name: cutText(agent.name, LIMITS.AGENT),
      purpose: null,
      project: jsonBytes(project) > LIMITS.PROJECT ? null : project,
      metadata: {
        source,
        first_turn_id: itemId(this.#plan.branch.turns[0] ?? ""),
        ...metadata,
        ...(parent && { parent_session_id: sessionIdOf(parent.id) }),
        ...(parent?.call != null && { parent_action_id: itemId(parent.call) }),
      },
      supports_resume: agent.session_id !== null,
      observed: false,
    };
  }
}

/** A finished session continues with a message, which starts its next run. */
function goOn(steps: readonly PastStep[], { interface: door }: Caller): readonly PastStep[] {
  const [first, ...rest] = steps;
  const start = first?.commands[0];
  if (!first || start?.type !== "start_turn") return steps;
  const { turn_id, content } = start;
  const commands: SessionCommand[] = [
    { type: "send_message", turn_id, content: content ?? "", interface: door },
    { type: "start_turn", turn_id, content: null },
  ];
  return [{ at: first.at, commands }, ...rest];
}
