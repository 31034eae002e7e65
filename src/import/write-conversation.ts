import { hash } from "node:crypto";
import type { SessionCommand } from "../contract/commands.ts";
import { BelayError } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import { LIMITS } from "../contract/limits.ts";
import { CLOSED } from "../contract/operations/operation.ts";
import { IMPORT_ACTOR } from "../contract/reserved-actor.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import { cutText } from "../core/text-size.ts";
import { addPast } from "../service/import-session.ts";
import { readConversation } from "../service/read/read-conversation.ts";
import { readHeadAt } from "../service/read/read-head-at.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { readParts, readRows } from "../store/read-streams.ts";
import type { StoredStream } from "../store/stream-store.ts";
import { itemId } from "./bound-item.ts";
import { BranchWriter, COMPLETE, noteImported, QUIET_SESSION } from "./branch-writer.ts";
import type { Branch, Conversation } from "./conversation.ts";
import { textIn } from "./fields.ts";
import type { ImportCursor } from "./import-cursor.ts";
import { CURSOR_ROW, cursorIn } from "./import-cursor.ts";
import { sessionIdOf } from "./session-id-of.ts";

/** The result for one branch of a conversation. */
export interface WrittenBranch {
  readonly session_id: string;
  readonly title: string | null;
  /** `kept`: the session stays unchanged, and `why` gives the reason. */
  readonly state: "new" | "grown" | "known" | "kept";
  /** The number of turns that this import added or would add. */
  readonly turns: number;
  readonly why: string | null;
}

interface WriteOptions {
  readonly source: string;
  readonly dry_run: boolean;
  /** The session in which Belay itself drives this agent session; null if there is none. */
  drivenBy(agent_session_id: string): string | null;
  /** The imported session that starts with this turn; null if there is none. */
  startedBy(turn_id: string): string | null;
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of turns of the branch written so far. */
  onWritten?(turns: number): void;
}

/** An open turn without activity for this long will not end any more. */
export const QUIET_TURN = 10 * 60_000;

/** Updates the sessions of a conversation. Stored parts are not written again. */
export async function writeConversation(
  context: ServiceContext,
  caller: Caller,
  conversation: Conversation,
  options: WriteOptions,
): Promise<WrittenBranch[]> {
  const by = { ...caller, actor: `${IMPORT_ACTOR}${options.source}`, trace_id: null };
  const writer = new ConversationWriter(context, by, conversation, options);
  return writer.write();
}

interface StoredSession {
  readonly stream: StoredStream;
  readonly head: SessionHead;
  /** Null if it was not imported. */
  readonly cursor: ImportCursor | null;
}

class ConversationWriter {
  readonly #context: ServiceContext;
  readonly #caller: Caller;
  readonly #conversation: Conversation;
  readonly #options: WriteOptions;
  readonly #now: number;

  constructor(
    context: ServiceContext,
    caller: Caller,
    conversation: Conversation,
    options: WriteOptions,
  ) {
    this.#context = context;
    this.#caller = caller;
    this.#conversation = conversation;
    this.#options = options;
    this.#now = context.now();
  }

  async write(): Promise<WrittenBranch[]> {
    const { id, agent } = this.#conversation;
    const trunk = await this.#load(this.#sessionId(null));
    const driver = agent.session_id === null ? null : this.#options.drivenBy(agent.session_id);
    if (!trunk && driver !== null) {
      return [this.#left(driver, "known", `${driver} is the session of this conversation`)];
    }
    if (trunk && !trunk.cursor) {
      return [this.#left(sessionIdOf(id), "known", "the session was recorded while it ran")];
    }
    const stored = new Map<string | null, string>();
    const last = trunk?.cursor?.turn_id;
    if (last != null) stored.set(null, last);
    const known = stored.size;
    const found = await this.#conversation.branches(stored);
    for (const { key } of found) {
      const session = key === null ? null : await this.#load(this.#sessionId(key));
      const turn = session?.cursor?.turn_id;
      if (turn != null) stored.set(key, turn);
    }
    const other = trunk && this.#otherOf(trunk, found[0]);
    if (other) return other.write();
    const branches = stored.size === known ? found : await this.#conversation.branches(stored);
    const written: WrittenBranch[] = [];
    for (const branch of branches) {
      if (branch.turns.length === 0) continue;
      const told = await this.#writeBranch(branch, branches);
      if (told) written.push(told);
    }
    return written;
  }

  /** A writer with another session id, if the session of this id belongs to a different conversation; null if it does not. */
  #otherOf({ head, cursor }: StoredSession, branch: Branch | undefined): ConversationWriter | null {
    const [first] = branch?.turns ?? [];
    if (!branch || first === undefined || !cursor || cursor.turn_id === null || head.parent)
      return null;
    if (placeOf(cursor, branch) !== null || firstTurnOf(head) === itemId(first)) return null;
    const { agent, ...conversation } = this.#conversation;
    const id = `${conversation.id}.${hash("sha256", first).slice(0, 8)}`;
    const other = { ...conversation, id, agent: { ...agent, session_id: null } };
    return new ConversationWriter(this.#context, this.#caller, other, this.#options);
  }

  /** Null if there was nothing to create a session from. */
  async #writeBranch(branch: Branch, branches: readonly Branch[]): Promise<WrittenBranch | null> {
    const session_id = this.#sessionId(branch.key);
    const stored = await this.#load(session_id);
    const { head = null, cursor = null } = stored ?? {};
    if (head && !cursor) return this.#left(session_id, "known", "another session has this id");
    const original = head || branch.key !== null ? null : await this.#findOriginal(branch);
    const shared = original?.turns ?? branch.from?.turns ?? 0;
    const place = cursor ? placeOf(cursor, branch) : null;
    const why = head && cursor ? whyLeft(head, cursor, place) : null;
    if (why !== null) return this.#left(session_id, "kept", why);
    const from = place ?? cursor?.turns ?? shared;
    const skip = cursor?.turn_id != null ? cursor.items : 0;
    const until = await this.#readyUntil(branch);
    const isNews =
      until - 1 > from || (until - 1 === from && (await countItems(branch, from)) > skip);
    if (!isNews && head === null) return null;
    if (head === null && (await this.#wasTakenBack(branch, branches))) return null;
    const turns = isNews ? until - from - (skip > 0 && until - from > 0 ? 1 : 0) : 0;
    const state = head === null ? "new" : isNews ? "grown" : "known";
    const title = head?.title ?? this.#title(branch);
    const told = { session_id, title, state, turns, why: null } as const;
    if (this.#options.dry_run) return told;
    try {
      if (isNews) {
        const base =
          head === null ? (original?.base ?? (await this.#baseOf(branch, branches))) : null;
        const { source, signal, onWritten } = this.#options;
        const written = await new BranchWriter(this.#context, this.#caller, {
          ...{ session_id, source, conversation: this.#conversation, branch, title, base },
          ...{ now: this.#now, signal, onWritten },
        }).write({ head, cursor, from, skip, until });
        return { ...told, turns: written };
      }
      if (head && cursor) await this.#settle(branch, head, cursor);
    } catch (error) {
      if (!(error instanceof BelayError) || !LEFT_ALONE.has(error.code)) throw error;
      return this.#left(session_id, "kept", error.message);
    }
    return told;
  }

  /** Turns up to here are complete, or will not continue. */
  async #readyUntil(branch: Branch): Promise<number> {
    const { length } = branch.turns;
    const { updated_at } = this.#conversation;
    if (updated_at === null || this.#now - updated_at >= QUIET_TURN || !branch.current) {
      return length;
    }
    let ended = false;
    for await (const { kind } of branch.items(length - 1)) {
      ended = kind === "ended" || (ended && kind === "used");
    }
    return ended ? length : length - 1;
  }

  /**
   * Finishes a branch to which nothing was added: the conversation has gone silent, or the agent continued elsewhere.
   */
  async #settle(branch: Branch, head: SessionHead, cursor: ImportCursor): Promise<void> {
    const { id, agent } = this.#conversation;
    const { source } = this.#options;
    const isLost = !branch.current && head.agent?.session_id != null;
    const isOver = head.status === "active" && this.#now - head.updated_at >= QUIET_SESSION;
    if (!isOver && !(isLost && agent.session_id === head.agent?.session_id)) return;
    await addPast(this.#context, this.#caller, {
      session_id: head.session_id,
      steps: (now) => {
        if (now?.counts.turns !== cursor.counted) return [];
        const commands: SessionCommand[] = [
          ...(isLost ? [noteImported(source, id, cursor, null)] : []),
          ...(isOver && now.status === "active" ? [COMPLETE] : []),
        ];
        return [{ at: now.updated_at, commands }];
      },
    });
  }

  /** The session that this conversation was copied from, and the number of shared turns. */
  async #findOriginal({ turns, items }: Branch) {
    const { forked_from } = this.#conversation;
    const [first = ""] = turns;
    const started = IS_UNIQUE.test(first) ? this.#options.startedBy(itemId(first)) : null;
    const named = started ?? (forked_from == null ? null : sessionIdOf(forked_from));
    if (named === null || named === this.#sessionId(null) || this.#conversation.parent) return null;
    const parent = await this.#load(named);
    if (!parent?.cursor) return null;
    const { store } = this.#context;
    const { turns: stored } = await readConversation(store, parent.stream.id, {
      limit: MOST_TURNS,
    });
    // A long turn is stored as several, of which the later ones are named after the first.
    const own = stored.filter(({ turn_id }) => !/\.\d+$/.test(turn_id) || !IS_UNIQUE.test(first));
    const isSame = async (turn: string, nth: number): Promise<boolean> => {
      const other = own[nth];
      if (!other) return false;
      if (IS_UNIQUE.test(turn)) return other.turn_id === itemId(turn);
      for await (const prompt of items(nth)) {
        return prompt.kind === "prompt" && prompt.text === other.input;
      }
      return false;
    };
    let shared = 0;
    while (shared < turns.length && (await isSame(turns[shared] ?? "", shared))) shared += 1;
    if (shared === 0) return null;
    const next = own[shared]?.turn_id;
    const base = await this.#baseAt(parent, next ?? null);
    return base && { turns: shared, base };
  }

  /** True if another session already has the turns of a branch: it was imported before the tool withdrew them. */
  async #wasTakenBack({ turns, from }: Branch, branches: readonly Branch[]): Promise<boolean> {
    if (!from) return false;
    const own = turns.slice(from.turns);
    const left = branches.find(({ key }) => key === from.branch);
    const others = new Set(left?.turns);
    if (own.some((turn) => others.has(turn))) return false;
    const parent = await this.#load(this.#sessionId(from.branch));
    if (!parent?.cursor) return false;
    const rows = await readRows(this.#context.store, parent.stream.id, { kind: "turn" });
    const stored = new Set(rows.map(({ data }) => data.turn_id));
    return own.every((turn) => stored.has(itemId(turn)));
  }

  /** The place where a branch leaves the session of another. */
  async #baseOf(branch: Branch, branches: readonly Branch[]) {
    if (!branch.from) return null;
    const { branch: key, turns } = branch.from;
    const parent = await this.#load(this.#sessionId(key));
    if (!parent) return null;
    const next = branches.find((other) => other.key === key)?.turns[turns];
    return this.#baseAt(parent, next === undefined ? null : itemId(next), turns === 0);
  }

  /** A session before one of its turns, or as it is. */
  async #baseAt(parent: StoredSession, next: string | null, isStart = false) {
    const { store } = this.#context;
    const rows = await readRows(store, parent.stream.id, { kind: "turn" });
    const first = rows.find(({ data }) => next !== null && data.turn_id === next);
    const seq = isStart ? 1 : first ? first.place - 1 : parent.stream.seq;
    const head = await readHeadAt(store, parent.stream.id, seq);
    return head && { id: parent.stream.id, session_id: parent.head.session_id, seq, head };
  }

  async #load(session_id: string): Promise<StoredSession | null> {
    const { owner } = this.#caller;
    const ref = { kind: "session", owner, key: session_id } as const;
    const [part] = await readParts(this.#context.store, [{ ref, rows: [CURSOR_ROW] }]);
    if (!part || !isSessionHead(part.stream.head)) return null;
    const { head } = part.stream;
    return { stream: part.stream, head, cursor: cursorIn(part.rows[0] ?? [], head) };
  }

  #sessionId(key: string | null): string {
    const id = sessionIdOf(this.#conversation.id);
    if (key === null) return id;
    const suffix = hash("sha256", key).slice(0, 8);
    return `${id.slice(0, LIMITS.SESSION_ID.max - suffix.length - 1)}.${suffix}`;
  }

  #title({ key }: Branch): string | null {
    const { title } = this.#conversation;
    if (title === null) return null;
    return cutText(key === null ? title : `${cutText(title, 80)} (branch)`, LIMITS.TITLE);
  }

  #left(session_id: string, state: "known" | "kept", why: string): WrittenBranch {
    return { session_id, title: this.#conversation.title, state, turns: 0, why };
  }
}

/** Ids that are unique across tools and conversations. */
const IS_UNIQUE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** In conversations with more turns, copies are not recognized. */
const MOST_TURNS = 1000;

/** The refusals of a session that accepts nothing more, or that a driver works on. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  "session_suspended",
  ...CLOSED,
  "session_held",
  "recovery_pending",
]);

export function firstTurnOf({ metadata }: SessionHead): string | null {
  const held = metadata.first_turn_id;
  return held && "value" in held ? textIn(held.value) : null;
}

/** The index of the last imported turn; null if there is none, or it no longer exists. */
function placeOf({ turn_id, turns: before }: ImportCursor, { turns }: Branch): number | null {
  if (turn_id === null) return null;
  const isLast = (turn: string | undefined) => turn !== undefined && itemId(turn) === turn_id;
  if (isLast(turns[before - 1])) return before - 1;
  // The tool may have withdrawn an earlier turn.
  const found = turns.findLastIndex(isLast);
  return found < 0 ? null : found;
}

/** The reason why an imported session is left alone; null if it is not. */
function whyLeft(head: SessionHead, cursor: ImportCursor, place: number | null): string | null {
  if (head.counts.turns !== cursor.counted) return "it was continued in Belay";
  if (cursor.turn_id === null || place !== null) return null;
  return "its file no longer contains what was imported from it";
}

async function countItems(branch: Branch, turn: number): Promise<number> {
  let items = 0;
  for await (const _ of branch.items(turn)) items += 1;
  return items;
}
