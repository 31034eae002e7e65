import type { PlanLine, RunEvent } from "../../../contract/run-event.ts";
import { visibleLine, visibleText } from "../../../contract/visible-text.ts";
import type { Paint } from "./run-view-lines.ts";
import * as lines from "./run-view-lines.ts";
import { createSaidText } from "./said-text.ts";

/** Formats the events of a run as text for people. It writes nothing itself. */
interface RunView {
  /** The text for an event, possibly empty. */
  show(event: RunEvent): string;
  /** The same for whole lines without an event. */
  showLines(lines: string): string;
  /** A status line for the current work; empty if there is none. */
  status(): string;
  /** Marks a message as already on the screen, so that its turn does not repeat it. */
  typed(message: string): void;
  /** Marks a question that is answered here. */
  answering(approval_id: string): void;
}

export interface RunViewOptions {
  readonly columns: number;
  readonly color: boolean;
  /** A person watches live: there is a status line, and thoughts are shown in full. */
  readonly interactive: boolean;
  /** True if questions can be answered here with a key. */
  readonly answers?: boolean;
  now?(): number;
}

type Event<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>;
type ToolCall = Event<"tool_call">;
type Piece = Event<"message" | "thought">;

export function createRunView(options: RunViewOptions): RunView {
  const { columns, interactive, answers = false, now = Date.now } = options;
  const paint: Paint = lines.createPaint(options.color);
  const newText = createSaidText();
  const calls = new Map<string, { since: number; call: ToolCall }>();
  const questions = new Map<string, Event<"permission">>();
  const diffsShown = new Set<string>();
  const typedMessages: string[] = [];
  const answeredHere = new Set<string>();
  let plan: readonly PlanLine[] = [];
  let turn: { id: string; since: number } | null = null;
  /** The block of the last text, whether its line is still open, and a thought that is not complete yet. */
  let block: string | null = null;
  let isOpen = false;
  let thought = "";
  let waitingAt: number | null = null;

  return {
    show: (event) => flushThought(event) + show(event),
    showLines: (text) => put("work", text),
    status,
    typed: (message) => void typedMessages.push(message),
    answering: (approval_id) => void answeredHere.add(approval_id),
  };

  function show(event: RunEvent): string {
    switch (event.type) {
      case "queued":
        return turn === null ? "" : aside(`⋯ queued: ${visibleLine(event.content)}`);
      case "waiting":
        waitingAt = event.position;
        return interactive ? "" : aside(lines.waitingLine(event.position));
      case "started":
        return showStarted(event);
      case "message":
        return showMessage(event);
      case "thought":
        return showThought(event);
      case "plan":
        return showPlan(event.entries);
      case "note":
        return aside(visibleLine(event.text));
      case "tool_call":
        return showCall(event);
      case "permission":
        return showPermission(event);
      case "answered":
        return showAnswer(event);
      case "agent":
        return aside(lines.agentLine(event));
      case "suspended":
        return put("end", lines.suspendedLine(event, paint));
      case "resumed":
        return aside(`resumed through ${visibleLine(event.interface)}`);
      case "completed":
        return put("footer", lines.footer(event.outcome, endTurn(), event.usage, paint));
      case "error":
        return put("error", lines.errorLines(event, endTurn(), answers, paint));
      case "ended":
        return put("end", lines.endedLine(event.status, paint));
    }
  }

  function showStarted({ turn_id, content }: Event<"started">): string {
    turn = { id: turn_id, since: now() };
    waitingAt = null;
    if (content === null) return "";
    const at = typedMessages.indexOf(content);
    if (at >= 0) {
      typedMessages.splice(at, 1);
      if (block !== null) block = "prompt";
      return "";
    }
    return put(
      "prompt",
      `${paint.bold(`> ${visibleText(content).trim().replaceAll("\n", "\n  ")}`)}\n`,
    );
  }

  function showMessage(event: Piece): string {
    const fresh = newText(event);
    return fresh === "" ? "" : enter(`message ${event.turn_id} ${event.item}`) + stay(fresh);
  }

  function showThought(event: Piece): string {
    const fresh = newText(event);
    if (fresh === "") return "";
    if (!interactive) {
      thought += fresh;
      return "";
    }
    const begun = enter(`thought ${event.turn_id} ${event.item}`);
    const isLineOpen = begun === "" && isOpen;
    return begun + stay(lines.thoughtLines(fresh, isLineOpen, paint));
  }

  /** If nobody watches live, a thought is shown on one line once it is complete. */
  function flushThought(event: RunEvent): string {
    if (thought === "" || event.type === "thought") return "";
    const line = lines.thoughtLine(thought, columns, paint);
    thought = "";
    return put("work", line);
  }

  function showPlan(entries: readonly PlanLine[]): string {
    const isNew = plan.length === 0;
    const text = lines.planLines(plan, entries, columns, paint);
    plan = entries;
    return text === "" ? "" : put(isNew ? "plan" : "plan change", text);
  }

  function showCall(call: ToolCall): string {
    const since = calls.get(call.action_id)?.since ?? now();
    if (call.status === "started") {
      const isKnown = calls.has(call.action_id);
      calls.set(call.action_id, { since, call });
      const isAnnounced = !interactive && !isKnown && MAY_TAKE_LONG.has(call.tool);
      return isAnnounced ? put("work", lines.callLine(call, null, columns, paint)) : "";
    }
    calls.delete(call.action_id);
    const line = lines.callLine(call, (now() - since) / 1000, columns, paint);
    return put("work", line + lines.failureLines(call, columns, paint) + diffOf(call));
  }

  function diffOf(call: ToolCall): string {
    if (call.diffs.length === 0 || diffsShown.has(call.action_id)) return "";
    diffsShown.add(call.action_id);
    return lines.diffLines(call.diffs, columns, paint);
  }

  /** Shows the change too, if it is known, because nobody should approve something unseen. */
  function showPermission(event: Event<"permission">): string {
    const isNext = nextByKey() === undefined;
    questions.set(event.approval_id, event);
    const changes = isAwaited(event)
      ? [...calls.values()].map(({ call }) => diffOf(call)).join("")
      : "";
    // A change that was shown in the question is not repeated when it is done.
    if (event.action_id !== null && /^--- /m.test(event.body ?? ""))
      diffsShown.add(event.action_id);
    const byKey = answers && isNext && event.kind !== "question";
    return put("question", lines.permissionLines(event, changes, byKey, paint));
  }

  /** The question that the keys answer: the oldest that they can answer. */
  function nextByKey(): Event<"permission"> | undefined {
    return [...questions.values()].find(({ kind }) => kind !== "question");
  }

  function showAnswer(event: Event<"answered">): string {
    const title = questions.get(event.approval_id)?.title ?? null;
    const wasNext = nextByKey()?.approval_id === event.approval_id;
    questions.delete(event.approval_id);
    const isOurs = answeredHere.delete(event.approval_id);
    const shown = title === null ? null : visibleLine(title);
    const line = lines.answerLine(event, shown, isOurs, paint);
    if (block === "question") block = "work";
    const answered = put("work", line);
    const next = nextByKey();
    if (!answers || !wasNext || !next) return answered;
    return answered + put("question", lines.permissionLines(next, "", true, paint));
  }

  function endTurn(): number | null {
    waitingAt = null;
    const seconds = turn === null ? null : (now() - turn.since) / 1000;
    turn = null;
    calls.clear();
    for (const [id, question] of questions) if (isAwaited(question)) questions.delete(id);
    return seconds;
  }

  function status(): string {
    const running = [...calls.values()];
    const [first] = running;
    const since = first?.since ?? turn?.since;
    if (since === undefined) {
      return waitingAt === null ? "" : paint.dim(`○ ${lines.waitingLine(waitingAt)}`);
    }
    const question = [...questions.values()].find(isAwaited);
    if (question) return lines.waitingStatus(visibleLine(question.title), columns, paint);
    const seconds = (now() - since) / 1000;
    return lines.workingStatus(first?.call ?? null, running.length, seconds, columns, paint);
  }

  function aside(text: string): string {
    return put("work", `${paint.dim(`  ${text}`)}\n`);
  }

  /** A block of whole lines. */
  function put(name: string, text: string): string {
    const before = enter(name);
    isOpen = false;
    return before + text;
  }

  /** The text before a new block: the end of an open line, and an empty line between two blocks. */
  function enter(name: string): string {
    const isSame = block === name;
    const end = isOpen && !(isSame && isOpenEnded(name)) ? "\n" : "";
    const gap = block === null || isSame ? "" : "\n";
    block = name;
    return end + gap;
  }

  function stay(text: string): string {
    isOpen = true;
    return text;
  }
}

/** Kinds of tools that are also shown at their start if there is no status line. */
const MAY_TAKE_LONG: ReadonlySet<string> = new Set(["execute", "fetch", "other"]);

function isAwaited({ kind }: Event<"permission">): boolean {
  return kind === "permission";
}

function isOpenEnded(name: string): boolean {
  return name.startsWith("message ") || name.startsWith("thought ");
}
